# Galena's build: GNU make alone. `make help` lists what it can do.
# Each folder has a rules.mk that names its archives, libraries, programs and tests.

VERSION := 0.1.0
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
SAN     ?=
COV     ?=
OPT     ?= -O2
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)
LLVM    := /usr/lib/llvm-19
CLANG   := $(LLVM)/bin/clang
say      = @$(if $(filter 1,$(V)),:,printf '  %-5s %s\n' $(1) $(2))

WARN    := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Wundef
CFLAGS  ?= $(OPT) -g
ALL_CFLAGS = -std=gnu11 $(WARN) -fPIC -fvisibility=hidden -ffp-contract=off -fno-strict-aliasing \
	$(if $(SAN)$(COV),-Wno-error) -I. -I$(BUILD)/gen -DGALENA_VERSION='"$(VERSION)"' -DCL_TARGET_OPENCL_VERSION=300 $(CFLAGS) $(SAN) $(COV)
ALL_LDFLAGS = $(LDFLAGS) $(SAN) $(COV) $(if $(FUZZ),,-Wl$(comma)--no-undefined) -Wl,-z,relro,-z,now

comma := ,
# a shared library with a heap of its own (icd/heap.c says why), except where a sanitizer watches the heap
HEAP := $(if $(findstring address,$(SAN))$(findstring thread,$(SAN)),,icd/heap.c)
HEAP_FUNCTIONS := malloc calloc realloc free strdup aligned_alloc vasprintf
HEAP_WRAP := $(if $(HEAP),$(patsubst %,-Wl$(comma)--wrap=%,$(HEAP_FUNCTIONS)))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
ALL :=
TESTS :=
BINDIR := $(BUILD)/bin
LIBDIR := $(BUILD)/lib
SHAREDIR := $(BUILD)/share/galena

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
ar  = $(patsubst %,$(BUILD)/ar/lib%.a,$(1))

# $(call archive,NAME,SOURCES): a static archive that libraries, programs and tests are made from
define archive_rule
$(BUILD)/ar/lib$(1).a: $(call obj,$(2))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D) && rm -f $$@
	$$(Q)ar rcs $$@ $$^
endef
archive = $(eval $(call archive_rule,$(1),$(2)))

# $(call shared,FILE,SOURCES,ARCHIVES,LIBRARIES,VERSION SCRIPT): a shared library of our own; all
# of each archive goes in, and what they need of base; LIBRARIES are flags, our own as -lNAME
define shared_rule
$(LIBDIR)/$(1): $(call obj,$(2)) $(call ar,$(3) base) $(5) $(patsubst -l%,$(LIBDIR)/lib%.so,$(filter -lgalena%,$(4)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -shared -o $$@ $(call obj,$(2)) -Wl,--whole-archive $(call ar,$(3)) -Wl,--no-whole-archive $(call ar,base) \
		-Wl,-soname,$(1) $(if $(5),-Wl$(comma)--version-script=$(5)) -L$(LIBDIR) '-Wl,-rpath,$$$$ORIGIN' $$(ALL_LDFLAGS) $(4)
ALL += $(LIBDIR)/$(1)
endef
shared = $(eval $(call shared_rule,$(1),$(2),$(3),$(4),$(5)))

# $(call program,FILE,SOURCES,ARCHIVES,LIBRARIES): a program; FILE below $(BUILD)
define program_rule
$(BUILD)/$(1): $(call obj,$(2)) $(call ar,$(3) base) $(patsubst -l%,$(LIBDIR)/lib%.so,$(filter -lgalena%,$(4)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -o $$@ $(call obj,$(2)) -Wl,--start-group $(call ar,$(3) base) -Wl,--end-group \
		-L$(LIBDIR) '-Wl,-rpath,$(or $(5),$$$$ORIGIN/../lib)' $$(ALL_LDFLAGS) $(4)
endef
program = $(eval $(call program_rule,$(1),$(2),$(3),$(4)))$(eval ALL += $(BUILD)/$(1))
# $(call test,AREA,NAME,SOURCES,ARCHIVES,LIBRARIES): a test program, run by check and check-AREA
test = $(eval $(call program_rule,test/$(1)/$(2),$(3),$(4),$(5),$(abspath $(LIBDIR))))$(eval TESTS += $(BUILD)/test/$(1)/$(2))
# $(call script,AREA,NAME,FILE): the same for a test that is a shell script; it prints a line a check
define script_rule
$(BUILD)/test/$(1)/$(2): $(3)
	@mkdir -p $$(@D)
	$$(Q)install -m 755 $$< $$@
TESTS += $(BUILD)/test/$(1)/$(2)
endef
script = $(eval $(call script_rule,$(1),$(2),$(3)))

$(BUILD)/obj/%.o: %.c | $(BUILD)/gen/abi.checked
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(CFLAGS_$(subst /,_,$(basename $<))) -MMD -MP -c -o $@ $<

include $(wildcard base/rules.mk abi/rules.mk include/rules.mk model/rules.mk rtl/rules.mk traces/rules.mk firmware/rules.mk checkers/rules.mk lockstep/rules.mk compile_server/rules.mk translate/rules.mk runtime/*/rules.mk icd/rules.mk \
	tools/rules.mk testbench/rules.mk coverage/rules.mk bench/rules.mk docs/rules.mk examples/rules.mk)

all: $(ALL) ## build everything (build/)

build-tests: all $(TESTS) $(RUN)

check: deps ## run the tests (installs what is missing first), TEST_JOBS at a time
	$(Q)$(MAKE) --no-print-directory check-all

check-all: build-tests
	$(Q)$(RUN) $(BUILD) $(TESTS)

check-long: deps ## the same with all the random cases that there is time for over night (CHECK_LONG=1)
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-7200} CLPEAK_TIMEOUT=$${CLPEAK_TIMEOUT:-7000} CHECK_LONG=1 CLPEAK_ALL=1 PYOPENCL_ALL=1 $(MAKE) --no-print-directory check-all

check-%: build-tests ## run the tests of one area: model, driver, opencl, ...
	$(Q)$(RUN) $(BUILD) $(filter $(BUILD)/test/$*/%,$(TESTS))

# instrumented programs take their time
asan ubsan coverage: export TEST_TIMEOUT ?= 1800
asan ubsan coverage: export CLPEAK_TIMEOUT ?= 1500
asan: ## all tests under AddressSanitizer (build/asan)
	$(Q)$(MAKE) BUILD=build/asan OPT=-O1 SAN='-fsanitize=address -fno-omit-frame-pointer' check

ubsan: ## all tests under UndefinedBehaviorSanitizer (build/ubsan)
	$(Q)$(MAKE) BUILD=build/ubsan OPT=-O1 SAN='-fsanitize=undefined -fno-sanitize-recover=all' check

debug: ## all tests in a build that asserts that each access of the timed device to memory is charged (build/debug)
	$(Q)$(MAKE) BUILD=build/debug OPT=-O1 SAN=-DGALENA_DEBUG check

# data races stop a test (exit code 66), but for those that testbench/tsan.supp has reasons for
tsan: export TEST_TIMEOUT ?= 1800
tsan: export TSAN_OPTIONS ?= suppressions=$(CURDIR)/testbench/tsan.supp history_size=4
tsan: ## tests of driver, OpenCL, Vulkan, VA-API, OpenVX, Android, heap and compile server under ThreadSanitizer (build/tsan)
	$(Q)$(MAKE) -k BUILD=build/tsan OPT=-O1 SAN=-fsanitize=thread check-heap check-android check-compile_server check-driver check-opencl check-vulkan check-vaapi check-openvx

deps: ## install the Debian packages that are missing (apt; root or sudo)
	$(Q)tools/deps

deps-all: ## the same, with the large ones of programs whose tests make check skips without them
	$(Q)tools/deps --all

demo: deps ## a photograph and a video through ffmpeg's OpenCL filters, on the device
	$(Q)$(MAKE) --no-print-directory all
	$(Q)examples/demo $(BUILD)

install: all ## install below PREFIX (default /usr/local), staged in DESTDIR
	$(Q)tools/install $(BUILD) '$(DESTDIR)$(PREFIX)' '$(PREFIX)'

clean: ## remove everything built
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: all build-tests check check-all check-long asan ubsan tsan deps deps-all demo install clean help
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
