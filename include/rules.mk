# Public headers and what finds them: build/include, build/lib/pkgconfig.
HEADERS := $(patsubst include/%,$(BUILD)/include/%,$(wildcard include/*/*.h))
$(BUILD)/include/%.h: include/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(BUILD)/include/galena/contract.h: include/contract.awk abi/rows.awk $(wildcard abi/*.def abi/*.h)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f abi/rows.awk -f include/contract.awk > $@
$(LIBDIR)/pkgconfig/%.pc: include/%.pc Makefile
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@
HEADERS += $(BUILD)/include/galena/contract.h
ALL += $(HEADERS) $(patsubst include/%,$(LIBDIR)/pkgconfig/%,$(wildcard include/*.pc))
