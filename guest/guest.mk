# Guest code: what the Makefile's own rules for guest/monitor leave open, and the example programs.
# Objects go to $(GUEST_O); $(GUEST_CC) is the bare-metal compiler, $(LINUX_CC) that for Linux.

# ---- monitor ------------------------------------------------------------------------------
# guest/monitor/*.c, *.S and *.ld become $(GUEST_O)/monitor.elf by the rules of the Makefile.
# It is loaded at any address, so none may be stored in it: no jump tables, no builtin memcpy.
# -O2 makes an interrupt a third shorter than -Os, for 250 bytes.
MONITOR_FLAGS += -O2 -fno-jump-tables -fno-builtin -fno-tree-loop-distribute-patterns \
                 -fno-asynchronous-unwind-tables

# ---- kernel -------------------------------------------------------------------------------
# guest/kernel becomes $(GUEST_O)/kernel.elf: its files in the order of their names, whatever their
# folders, so that its layout depends on none. A kernel uses no floating point of its own.
KERNEL_SRC   := $(shell find guest/kernel -name '*.c' -printf '%f %p\n' | LC_ALL=C sort | \
                    cut -d' ' -f2) guest/kernel/entry.S
KERNEL_OBJ   := $(patsubst guest/%,$(GUEST_O)/%.o,$(KERNEL_SRC))
KERNEL_ELF   := $(GUEST_O)/kernel.elf
KERNEL_FLAGS := -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -ffreestanding -fno-pic \
                -fno-common -O2 -g -fno-builtin -fno-tree-loop-distribute-patterns \
                -fno-asynchronous-unwind-tables -ffunction-sections -Iguest/kernel
MONITOR      += $(KERNEL_ELF)

$(GUEST_O)/kernel/%.o: guest/kernel/% Makefile guest/guest.mk
	$(call say,GUEST  ,$<)
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) -std=gnu17 $(KERNEL_FLAGS) $(WARNINGS) -Wno-conversion -Wno-sign-compare -I. \
	    -MMD -MP -MT $@ -c $< -o $@

$(KERNEL_ELF): $(KERNEL_OBJ) guest/kernel/kernel.ld
	$(call say,GUEST  ,$@)
	$(Q)$(GUEST_CC) $(KERNEL_FLAGS) -nostdlib -static -Wl,--build-id=none -Wl,--no-warn-rwx-segments \
	    -Wl,--no-relax -T guest/kernel/kernel.ld $(KERNEL_OBJ) -o $@

-include $(KERNEL_OBJ:.o=.d)

# ---- calibration --------------------------------------------------------------------------
CALIBRATE_ELF := $(GUEST_O)/calibrate.elf
MONITOR       += $(CALIBRATE_ELF)

$(CALIBRATE_ELF): guest/calibrate/calibrate.S
	$(call say,GUEST  ,$@)
	@mkdir -p $(@D)
	$(Q)$(GUEST_CC) -march=rv64imac_zicsr -mabi=lp64 -nostdlib -static -Wl,--build-id=none \
	    -Wl,-Ttext-segment=0x10000 $< -o $@

# ---- examples -----------------------------------------------------------------------------
# guest/examples/NAME/NAME.c becomes $(GUEST_O)/NAME, a static Linux program, with frame pointers so that
# the monitor can walk its stack, or a bare-metal one, which starts as bare.S does and lies as in
# bare.ld unless its folder has others.
EXAMPLES       := $(patsubst guest/examples/%/,%,$(wildcard guest/examples/*/))
BARE_EXAMPLES  := claim irqs_off lockstep pager
LINUX_EXAMPLES := $(filter-out $(BARE_EXAMPLES),$(EXAMPLES))
GUEST_PROGRAMS += $(LINUX_EXAMPLES:%=$(GUEST_O)/%) $(BARE_EXAMPLES:%=$(GUEST_O)/%)

# Compiled with threads.
$(GUEST_O)/wordtally: EXAMPLE_FLAGS := -pthread

define linux_example
$(GUEST_O)/$(1): guest/examples/$(1)/$(1).c
	$$(call say,GUEST  ,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(LINUX_CC) -std=gnu17 -O2 -g -fno-omit-frame-pointer -Wall -Wextra -Werror -static $$(EXAMPLE_FLAGS) \
	    $$< -o $$@
endef

# own(NAME, suffix, file): that of the example's folder, or the file.
own = $(or $(wildcard guest/examples/$(1)/*.$(2)),guest/examples/$(3))

define bare_example
$(GUEST_O)/$(1): $(wildcard guest/examples/$(1)/*) $(call own,$(1),S,bare.S) $(call own,$(1),ld,bare.ld) \
    $(wildcard guest/include/rvsim/*.h pmu/abi*.h isa/hint.h)
	$$(call say,GUEST  ,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) -std=gnu17 -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -O2 -g -ffreestanding \
	    -Wall -Wextra -Werror -nostdlib -static -Wl,--no-warn-rwx-segments -I. -Iguest/include \
	    -T $$(filter %.ld,$$^) $$(filter %.c %.S,$$^) -o $$@
endef
$(foreach e,$(BARE_EXAMPLES),$(eval $(call bare_example,$(e))))
$(foreach e,$(LINUX_EXAMPLES),$(eval $(call linux_example,$(e))))

# What the pages of the guide run with, in one folder: programs, their sources and metadata, headers.
# A copy of $(EXAMPLES_O) is a reader's own directory.
EXAMPLES_O     := $(O)/examples
EXAMPLE_FILES  := $(wildcard guest/examples/*.* guest/examples/*/*) $(EXAMPLES:%=$(GUEST_O)/%)
EXAMPLE_LIB    := $(wildcard guest/lib/*)
EXAMPLE_HEADERS := $(wildcard guest/include/*/*.h pmu/abi*.h pmu/event.def isa/hint.h isa/field.h isa/csr.def)

$(EXAMPLES_O)/.made: $(EXAMPLE_FILES) $(EXAMPLE_HEADERS) $(EXAMPLE_LIB) guest/guest.mk
	$(call say,COPY   ,$(EXAMPLES_O))
	@rm -rf $(EXAMPLES_O) && mkdir -p $(EXAMPLES_O)
	@cp $(EXAMPLE_FILES) $(EXAMPLES_O)
	@install -D -m 644 -t $(EXAMPLES_O)/lib $(EXAMPLE_LIB)
	@for f in $(EXAMPLE_HEADERS:guest/include/%=%); do \
	    from=$$f; [ -e $$f ] || from=guest/include/$$f; \
	    install -D -m 644 $$from $(EXAMPLES_O)/include/$$f || exit 1; done
	@touch $@
guest: $(EXAMPLES_O)/.made

# ---- the demonstration --------------------------------------------------------------------
.PHONY: demo-run
# In a folder with the program's own name, so that the output is that of the README's commands.
DEMO_O := $(O)/demo
demo-run:
	@rm -rf $(DEMO_O) && mkdir -p $(DEMO_O)
	@cp $(GUEST_O)/wordindex guest/examples/wordindex/wordindex.meta $(DEMO_O)
	@echo '$$ rvsim --quiet --meta wordindex.meta --profile wordindex.prof wordindex'
	@cd $(DEMO_O) && PATH=$(O):$$PATH rvsim --quiet --meta wordindex.meta --profile wordindex.prof wordindex
	@echo
	@echo '$$ rvsim report wordindex.prof'
	@cd $(DEMO_O) && $(O)/rvsim report wordindex.prof
	@echo
	@echo 'The simulator is $(O)/rvsim; program, metadata and profile are in $(DEMO_O).'
	@echo 'docs/quickstart/ continues from here.'
