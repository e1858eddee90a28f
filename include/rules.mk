# Public headers and what finds them: build/include, build/lib/pkgconfig.
HEADERS := $(patsubst include/%,$(BUILD)/include/%,$(wildcard include/*/*.h))
$(BUILD)/include/%.h: include/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@
# headers that include others bring them along
$(addprefix $(BUILD)/include/,galena/device.h galena/heap.h android/hardware_buffer.h): $(BUILD)/include/galena/api.h
$(BUILD)/include/android/hardware_buffer.h: $(BUILD)/include/android/rect.h
$(BUILD)/include/galena/contract.h: include/contract.awk abi/rows.awk $(wildcard abi/*.def) $(BUILD)/gen/abi.checked
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f abi/rows.awk -f include/contract.awk > $@
$(LIBDIR)/pkgconfig/%.pc: include/%.pc Makefile
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@
$(BUILD)/include/galena/kmd.h: include/kmd.awk runtime/kmd/requests.def runtime/kmd/kmd.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f include/kmd.awk runtime/kmd/requests.def runtime/kmd/kmd.h > $@
HEADERS += $(addprefix $(BUILD)/include/galena/,contract.h kmd.h)
ALL += $(HEADERS) $(patsubst include/%,$(LIBDIR)/pkgconfig/%,$(wildcard include/*.pc))
