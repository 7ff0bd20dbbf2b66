# The programs that measure speed: tests/bench/programs/NAME.c becomes, under $(BENCH_O),
#   rv64gc/NAME.elf, rv32im/NAME.elf  bare metal, exit through HTIF
#   linux/NAME.elf                    a static Linux program, for peers that run only those
#   marss/NAME.bin                    a raw image for MARSS-RISCV
# Each verifies its own checksum.
BENCH_O        := $(O)/bench
BENCH_FOLDER   := tests/bench/programs
BENCH_SUPPORT  := $(BENCH_FOLDER)/main.c $(BENCH_FOLDER)/start.S
BENCH_NAMES    := $(patsubst $(BENCH_FOLDER)/%.c,%,$(filter-out $(BENCH_FOLDER)/main.c,$(wildcard $(BENCH_FOLDER)/*.c)))
BENCH_INTEGER  := $(filter-out nbody,$(BENCH_NAMES))
BENCH_PROGRAMS := $(BENCH_NAMES:%=$(BENCH_O)/rv64gc/%.elf) $(BENCH_INTEGER:%=$(BENCH_O)/rv32im/%.elf) \
                  $(BENCH_NAMES:%=$(BENCH_O)/linux/%.elf) $(BENCH_NAMES:%=$(BENCH_O)/marss/%.bin)

BENCH_FLAGS := -std=gnu17 -O2 -g -ffreestanding -fno-math-errno -fno-common -mcmodel=medany \
               -fno-tree-loop-distribute-patterns -Wall -Wextra -Werror -I. -nostdlib -static \
               -Wl,--build-id=none -Wl,--no-warn-rwx-segments
BENCH_BARE  := -T $(BENCH_FOLDER)/bench.ld
BENCH_HOST  := -DBENCH_LINUX $(BENCH_BARE) -Wl,--defsym=BASE=0x10000
BENCH_RV64  := -march=rv64gc_zicsr -mabi=lp64d
BENCH_RV32  := -march=rv32im_zicsr -mabi=ilp32

# $(call bench_rule,FOLDER,FLAGS)
define bench_rule
$$(BENCH_O)/$(1)/%.elf: $$(BENCH_FOLDER)/%.c $$(wildcard $$(BENCH_FOLDER)/*.[hS]) \
                        $$(BENCH_FOLDER)/main.c $$(BENCH_FOLDER)/bench.ld tests/bench/bench.mk
	$$(call say,GUEST  ,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(GUEST_CC) $$(BENCH_FLAGS) $(2) $$< $$(BENCH_SUPPORT) -lgcc -o $$@
endef
$(eval $(call bench_rule,rv64gc,$(BENCH_RV64) $(BENCH_BARE)))
$(eval $(call bench_rule,rv32im,$(BENCH_RV32) $(BENCH_BARE)))
$(eval $(call bench_rule,linux,$(BENCH_RV64) $(BENCH_HOST)))
$(eval $(call bench_rule,marss,$(BENCH_RV64) $(BENCH_BARE) -DBENCH_MARSS))

$(BENCH_NAMES:%=$(BENCH_O)/marss/%.bin): %.bin: %.elf
	$(Q)$(GUEST_CC:gcc=objcopy) -O binary $< $@
