# Manual pages with their tables filled in: build/share/doc/galena/*.md
DOCS := $(patsubst docs/%,$(BUILD)/share/doc/galena/%,$(wildcard docs/*.md))
$(BUILD)/share/doc/galena/%.md: docs/%.md docs/expand.awk $(wildcard abi/*.def)
	$(call say,DOC,$@)
	@mkdir -p $(@D)
	$(Q)awk -f docs/expand.awk $< > $@
ALL += $(DOCS)

MANS := $(patsubst docs/man/%,$(BUILD)/share/man/man1/%,$(wildcard docs/man/*.1))
$(BUILD)/share/man/man1/%: docs/man/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
ALL += $(MANS)
