# Manual pages, the tables as they are now: build/share/doc/galena/*.md
DOCS := $(patsubst docs/%,$(BUILD)/share/doc/galena/%,$(wildcard docs/*.md docs/hardware/*.md))
$(BUILD)/share/doc/galena/%.md: docs/%.md docs/expand.awk abi/rows.awk $(wildcard abi/*.def runtime/compiler/extensions.def checkers/*.tsv)
	$(call say,DOC,$@)
	@mkdir -p $(@D)
	$(Q)awk -f abi/rows.awk -f docs/expand.awk $< > $@
DOC_IMAGES := $(patsubst docs/%,$(BUILD)/share/doc/galena/%,$(wildcard docs/images/*))
$(BUILD)/share/doc/galena/images/%: docs/images/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
ALL += $(DOCS) $(DOC_IMAGES)

# man pages by section: build/share/man/manN
MANS := $(foreach f,$(wildcard docs/man/*.[1-9]),$(BUILD)/share/man/man$(patsubst .%,%,$(suffix $(f)))/$(notdir $(f)))
$(foreach n,1 3,$(eval $(BUILD)/share/man/man$(n)/%.$(n): docs/man/%.$(n); @mkdir -p $$(@D) && cp $$< $$@))
ALL += $(MANS)

docs: all ## the tables of the manual pages anew, from abi/, runtime/compiler/extensions.def and checkers/, their drawings from docs/*.txt, and their waveforms and cycles, from the examples
	@for page in $$(grep -l '^<!-- {{' docs/*.md docs/hardware/*.md); do \
		awk -v keep=1 -f abi/rows.awk -f docs/expand.awk $$page > $$page.new && mv $$page.new $$page || exit; \
	done
	@mkdir -p $(BUILD)/docs
	$(Q)docs/pictures.sh $(BUILD) docs/images $(BUILD)/docs
	@awk -f docs/cycles.awk docs/import.md $(BUILD)/docs/import.dump docs/import.md > $(BUILD)/docs/import.md && cp $(BUILD)/docs/import.md docs/import.md
.PHONY: docs
