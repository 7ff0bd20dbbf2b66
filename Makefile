# rvsim: build, test, install. `make help` lists the targets.
#
# Every .c file in the folders below is found by itself; a new file needs no entry here.
# Objects stay out of the tree, under $(O); other compilers, flags and places are variables:
#   make CC=clang   make O=/somewhere   make CFLAGS='-O0 -g3'   make V=1 (show commands)
#   make EXTRAS=FOLDER (components of a folder elsewhere)

VERSION := 0.1.0
VERSION_DATE := 2026-11-29
O       ?= build
# Absolute paths without links: make run from another directory then finds the same dependencies,
# and uses the same flags.
override O := $(shell mkdir -p '$(O)' && realpath '$(O)')
ifneq ($(words $(CURDIR)) $(words $(O)),1 1)
$(error the path '$(if $(filter 1,$(words $(CURDIR))),$(O),$(CURDIR))' has a blank; expected one without)
endif
DEPS    ?= .deps
override DEPS := $(or $(realpath $(DEPS)),$(abspath $(DEPS)))
PREFIX  ?= /usr/local
NM      ?= nm
JOBS    := $(or $(JOBS),$(shell nproc))
# -g1: only lines; describing variables would take a fifth of the compile time.
CFLAGS  ?= -O2 -g1

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS) --no-print-directory
endif
export DEPS JOBS
.DEFAULT_GOAL := all
.SUFFIXES:
# Not .SECONDARY for all files: for a missing program, make would then compile all its objects
# again.
# The rules name their targets instead, so that no file is an intermediate one.
.DELETE_ON_ERROR:
.PHONY: FORCE

# $(call say,WHAT,FILE) prints the first line of a recipe without starting a process.
ifndef V
say = $(info $()  $(1) $(2))
Q := @
endif

# ---- sources ------------------------------------------------------------------------------
# Sources of a library folder include those of all folders below it. Commands belong to the program.
LIB_DIRS := $(sort $(shell find -L isa pmu shadowcache prof $(filter-out sim/cli sim/presets,$(wildcard sim/*)) -type d))
LIB_SRC  := $(filter-out prof/serve/%,$(wildcard $(LIB_DIRS:%=%/*.c)))
CLI_SRC  := $(sort $(shell find sim/cli -name '*.c'))
SERVE_SRC := $(wildcard prof/serve/*.c prof/serve/*/*.c)
PRESETS  := $(wildcard sim/presets/*.ini)

UNIT_SRC    := $(sort $(shell find -L tests -name '*_test.c'))
UNIT_DIRS   := $(sort $(dir $(UNIT_SRC)))
SCRIPTS     := $(sort $(shell find -L tests -name '*_test.sh'))
SUPPORT_SRC := $(wildcard tests/support/*.c)
FUZZ_SRC    := $(wildcard tests/fuzz/*_fuzz.c)
FUZZ_ANSWER_SRC := $(addprefix guest/lib/assert_timer_,control.c http.c)

objects = $(patsubst %.c,$(O)/%.o,$(1))

# Instances of the pipe (sim/core/instance/instance.h): one for each model, and one for each of
# these presets. INSTANCES= builds none for presets; statistics are the same. An instance of a
# preset also has a copy of its model's sources, with the preset's name before every name. The
# release has more instances, whose compilation would take longer than most builds run on them.
MODELS    := $(patsubst sim/core/model/%/settings.def,%,$(wildcard sim/core/model/*/settings.def))
INSTANCES ?= $(if $(SANITIZE),,default boom megaboom c910 rsd u74 in_order)
RELEASE_INSTANCES := $(INSTANCES) $(if $(filter file,$(origin INSTANCES)),cva6 cva6ss c906 biriscv)
INSTANCE     := sim/core/instance
INSTANCE_O   := $(O)/$(INSTANCE)
INSTANCE_SRC := $(foreach d,fetch inorder lsu pipe profile,$(wildcard sim/core/$(d)/*.c))
# An instance of a preset also has these sources of the predictor: the settings of the preset's
# predictor are constants there (sim/core/bpred/shape.h).
PREDICTOR_SRC := $(patsubst %,sim/core/bpred/%.c,bpred repair train flow at_decode run_on table_writes \
    target/btb target/ras target/chain target/path direction/bimode_port direction/gshare_port)
# The source that takes longest to compile comes first.
LIB_SRC := sim/run/fast/fast_exec.c $(filter-out $(INSTANCE)/generate.c sim/core/model/% \
    sim/view/module/% sim/run/fast/fast_exec.c,$(LIB_SRC))
# MODEL_OF_PRESET: the model of a preset, named by a section of it. Used often, so read once.
$(foreach p,$(INSTANCES),$(eval MODEL_OF_$(p) := \
    $$(filter $$(MODELS),$$(shell sed -n 's/^\[\(.*\)\]$$$$/\1/p' sim/presets/$(p).ini))))
model_of = $(MODEL_OF_$(1))
# The model, and the sources, of an instance model-MODEL or PRESET.
instance_model = $(or $(filter $(MODELS),$(1:model-%=%)),$(call model_of,$(1)))
instance_src = $(INSTANCE_SRC) $(INSTANCE)/entry.c $(if $(filter model-%,$(1)),,$(PREDICTOR_SRC)) \
    $(foreach m,$(call instance_model,$(1)),$(wildcard sim/core/model/$(m)/*.c))
# Headers that rename symbols: of the pipe and, for a preset, of the predictor and of its model. In
# the instance of a model the predictor is the library's, and the model's names stay as they are.
instance_names = names.h $(if $(filter model-%,$(1)),,names_predictor.h \
    $(patsubst %,names-%.h,$(call model_of,$(1))))
ALL_INSTANCES := $(INSTANCES) $(MODELS:%=model-%)
# SHARE=FOLDER: takes from the build in FOLDER, without sanitizers, the instances of models, and the
# objects that no unit test needs (the target unit-members lists the needed ones in unit.members).
instance_folder = $(or $(and $(filter model-%,$(1)),$(SHARE)),$(O))/$(INSTANCE)
UNIT_MEMBERS := $(O)/tests/unit.members
LINKED := $(if $(SHARE),$(file <$(UNIT_MEMBERS)))
UNLINKED := $(if $(LINKED),$(foreach s,$(LIB_SRC),$(if $(filter $(notdir $(s:.c=)),$(LINKED)),,$(s))))
LIB_OBJ  := $(call objects,$(filter-out $(UNLINKED),$(LIB_SRC))) $(UNLINKED:%.c=$(SHARE)/%.o)
INSTANCE_OBJ := $(INSTANCE_O)/table.o $(foreach i,$(ALL_INSTANCES),$(call instance_folder,$(i))/$(i).o)
LIB  := $(O)/librvsim.a
UNIT := $(UNIT_SRC:%.c=$(O)/%)
FUZZ := $(FUZZ_SRC:%.c=$(O)/%)

# ---- libraries ----------------------------------------------------------------------------
# capstone 5 comes from the system where it is new enough, else from $(DEPS) (tests/setup.sh).
PACKAGES := libelf libdw inih libcjson libzstd zlib
# $(call package,NAME): NAME if it is installed. Without pkg-config nothing is, before `make deps`.
package = $(shell pkg-config --exists $(1) 2>/dev/null && echo $(1))
LOCAL_CAPSTONE := $(firstword $(wildcard $(DEPS)/capstone/usr/lib/*/libcapstone.a))
ifneq ($(LOCAL_CAPSTONE),)
CAPSTONE_FLAGS := -isystem $(DEPS)/capstone/usr/include
CAPSTONE_LIBS  := $(LOCAL_CAPSTONE)
PKG_LIBS := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null || echo missing)
else
PKG_LIBS := $(shell pkg-config --libs $(PACKAGES) 'capstone >= 5' 2>/dev/null || echo missing)
endif
BUILD_GOALS := $(filter-out test demo bench truth fidelity asan fuzz deps lint clean uninstall help,$(or $(MAKECMDGOALS),all))
SYSTEM_LIBS := -Wl,--as-needed $(PKG_LIBS) -lfdt -liberty -lm
LIBS := $(CAPSTONE_LIBS) $(SYSTEM_LIBS)

# rvsim-service has libraries of its own, which rvsim and libprofhw do not load. It supports
# PostgreSQL if that library is installed.
SERVE_PACKAGES := libmicrohttpd sqlite3 gnutls libcurl $(call package,libpq)
SERVE_LIBS  := -Wl,--as-needed $(shell pkg-config --libs $(SERVE_PACKAGES) 2>/dev/null || echo missing)
SERVE_FLAGS := $(shell pkg-config --cflags $(SERVE_PACKAGES) 2>/dev/null) -pthread
ifneq ($(filter libpq,$(SERVE_PACKAGES)),)
SERVE_FLAGS += -DSERVE_HAS_POSTGRESQL
else
SERVE_SRC := $(filter-out prof/serve/database/db_postgresql.c,$(SERVE_SRC))
endif
SERVE_LIB := $(O)/librvsim-service.a
ifneq ($(and $(filter missing,$(PKG_LIBS) $(SERVE_LIBS)),$(BUILD_GOALS)),)
$(error libraries are missing; `make deps` installs them)
endif

# ---- flags --------------------------------------------------------------------------------
# -ffp-contract=off: a host with fused multiply-add must not round differently.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Werror
ifdef SANITIZE
CFLAGS   := -Og -g1 -fno-omit-frame-pointer -fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined
# These checks of addresses would take two fifths of the compile time of unit tests; the address
# sanitizer covers most of them. `make asan` has them.
NO_ADDRESS_CHECKS := -fno-sanitize=null,object-size,pointer-overflow,alignment
CFLAGS   += $(if $(SHARE),$(NO_ADDRESS_CHECKS))
WARNINGS += -Wno-maybe-uninitialized -Wno-format-truncation
ifneq ($(findstring clang,$(CC)),)
WARNINGS += -Wno-unknown-warning-option
endif
endif
FLAGS   = -std=gnu17 $(CFLAGS) -ffp-contract=off $(WARNINGS) -I. $(CAPSTONE_FLAGS) $(CPPFLAGS)
COMPILE = $(CC) $(FLAGS) -I$(patsubst $(CURDIR)/%,%,$(O))
LINK    = $(CC) $(CFLAGS) $(LDFLAGS)
# A program at fixed addresses starts faster: its tables have 90,000 addresses to relocate.
LINK_PROGRAM = $(LINK) -no-pie
# A linker for programs that are linked often, if installed: two to three times as fast as the
# default.
QUICK_LINKER := $(firstword $(foreach l,lld gold,$(if $(shell command -v ld.$(l)),-fuse-ld=$(l))))

# Only the sources that name these macros are rebuilt when they change.
DATA_FLAGS   := -DRVSIM_DATADIR='"$(PREFIX)/share/rvsim"' -DRVSIM_VERSION='"$(VERSION)"' \
    -DRVSIM_VERSION_DATE='"$(VERSION_DATE)"'
DATA_SOURCES := $(shell grep -lE 'RVSIM_(DATADIR|VERSION)' $(LIB_SRC) $(SERVE_SRC) $(CLI_SRC) /dev/null)
DATA_OBJECTS := $(call objects,$(DATA_SOURCES))

# A stamp file changes when its text does: another compiler, other flags, a source added or removed.
# The text has the folder, because dependencies name it: objects of a moved tree are made again.
stamp_flags   = $(O) $(CC) $(FLAGS)
# Every object depends on flags.stamp, whose rule makes the folders of objects.
folders_flags = $(sort $(dir $(STRUCTURE_OBJ) $(call objects,$(LIB_SRC) $(CLI_SRC) $(SERVE_SRC) $(UNIT_SRC) $(SUPPORT_SRC) \
    $(FUZZ_SRC) $(FUZZ_ANSWER_SRC) $(INSTANCE)/generate.c tests/unit.c docs/generate.c)))
stamp_library = $(LIB_SRC) $(UNLINKED) $(ALL_INSTANCES) $(SHARE) $(LINK) $(LIBS)
stamp_service = $(SERVE_SRC) $(LINK) $(SERVE_FLAGS) $(SERVE_LIBS)
stamp_instances = $(INSTANCE_SRC) $(PREDICTOR_SRC) $(wildcard sim/core/model/*/*.c)
stamp_data    = $(subst ',,$(DATA_FLAGS))
$(O)/%.stamp: FORCE
	@mkdir -p $(@D) $(folders_$*)
	@printf '%s\n' '$(stamp_$*)' | cmp -s - $@ || printf '%s\n' '$(stamp_$*)' > $@

# A generated file is touched only if it changes.
if_changed = { { [ -d $(@D) ] || mkdir -p $(@D); } && $(call replace,$@,$(1)); }
replace = $(2) >$(1).new && { cmp -s $(1).new $(1) && rm $(1).new || mv $(1).new $(1); }

# Settings of the models (sim/base/models.def). flags.stamp depends on the file, so that it exists
# before anything is compiled.
MODEL_SETTINGS := $(O)/generated/model_settings.def
$(MODEL_SETTINGS): FORCE
	$(Q)$(call if_changed,{ $(foreach m,$(MODELS),echo 'MODEL($(m))' && cat sim/core/model/$(m)/settings.def &&) :; })
$(O)/flags.stamp: $(MODEL_SETTINGS)

# ---- simulator ----------------------------------------------------------------------------
.PHONY: all
all: $(O)/rvsim $(O)/rvsim-service $(O)/profhw.pc data modules ## build $(O)/rvsim and the guest monitor (the default)
	@:

$(O)/%.o: %.c $(O)/flags.stamp
	$(call say,CC     ,$<)
	$(Q)$(COMPILE) $(LEVEL) $(OBJECT_FLAGS) $(LIBRARY_FLAGS) -MMD -MP -MT $@ -c $< -o $@

# The fast engine is one function with a label for each instruction, in which checks of addresses
# would take four fifths of the compile time.
FAST_FLAGS := $(NO_ADDRESS_CHECKS)
# -mno-stv: gcc for x86 spends long on moving scalars to vector registers, and moves none.
# -fno-tree-fre: full redundancy elimination would take a third of the compile time, and the later
# partial redundancy elimination does the same work.
FAST_FLAGS += $(if $(findstring clang,$(CC)),,-fno-tree-fre $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-mno-stv))
$(O)/sim/run/fast/fast_exec.o: OBJECT_FLAGS = $(FAST_FLAGS)

# For code that runs in each cycle: instances of the pipe, predictors, caches. Padding in front of
# loops and labels would be executed, and loops that copy a few entries would become function calls.
DENSE := $(if $(findstring clang,$(CC)),,-fno-align-loops -fno-align-jumps -fno-align-labels \
    -fno-tree-loop-distribute-patterns)
$(call objects,$(wildcard sim/core/bpred/*.c sim/core/bpred/*/*.c sim/mem/*.c sim/mem/cache/*.c)): OBJECT_FLAGS = $(DENSE)

# Code that runs only for an instant is optimised less, which saves a third of its compile time: it
# reads the command line, programs and profiles, serves system calls, writes reports. The release
# optimises it like all other code; sanitized for unit tests, it is not optimised.
COLD_SRC := $(CLI_SRC) $(SERVE_SRC) $(filter prof/% sim/view/% sim/debug/% sim/base/% \
    $(foreach d,check kernel linux load,sim/run/$(d)/%),$(LIB_SRC))
ifeq ($(findstring -flto,$(CFLAGS)),)
$(call objects,$(COLD_SRC)): LEVEL = $(if $(SANITIZE),$(if $(SHARE),-O0),$(if $(filter -O2,$(CFLAGS)),-O1))
endif

# Sanitized for unit tests, this code is not optimised either: tests spend little time in it.
$(call objects,$(filter $(foreach d,host run/profiler core/profile mem/device,sim/$(d)/%),$(LIB_SRC))): \
    LEVEL = $(if $(SHARE),-O0)

# Tests run for an instant, and optimising them would take half of their compile time; -g1 has the
# lines that the sanitizers' reports name.
TEST_FLAGS ?= -O0 -g1
$(call objects,$(UNIT_SRC) $(SUPPORT_SRC)): LEVEL = $(TEST_FLAGS)
# Tests that spend seconds in code of their own.
$(addprefix $(O)/tests/,isa/fp_soft_test.o sim/mem/cache/coherence_stress_test.o \
    sim/mem/cache/hierarchy_test.o): LEVEL = -O2 -g1
$(call objects,$(UNIT_SRC)): OBJECT_FLAGS = -DUNIT_TEST=$(*F) -include tests/unit.h
$(call objects,$(UNIT_SRC)): tests/unit.h

# The release inlines by its profile.
$(call objects,$(filter sim/mem/% sim/core/bpred/%,$(LIB_SRC))): \
    LIBRARY_FLAGS = $(if $(findstring clang,$(CC))$(findstring -flto,$(CFLAGS))$(SANITIZE),,$(INLINE_LARGE))

$(DATA_OBJECTS): OBJECT_FLAGS = $(DATA_FLAGS)
$(DATA_OBJECTS): $(O)/data.stamp

# Objects that contain these files.
$(call objects,prof/html/html.c): $(wildcard prof/html/page*.css prof/html/page*.html prof/html/page*.js)
$(call objects,prof/serve/site/site.c): $(wildcard $(addprefix prof/serve/site/site.,html css js))
$(call objects,prof/serve/site/openapi.c): prof/serve/site/components.json

$(call objects,$(SERVE_SRC)): LIBRARY_FLAGS = $(SERVE_FLAGS)
$(call objects,$(SERVE_SRC)): $(O)/service.stamp

# An instance: the pipe's sources, with a model's answers or a preset's settings as constants, every
# name with the instance's before it.

$(INSTANCE_O)/generate: $(call objects,$(LIB_SRC) $(INSTANCE)/generate.c)
	$(call say,LINK   ,$@)
	$(Q)$(LINK_PROGRAM) $^ $(LIBS) -o $@

# The names that objects define.
names_of = $(NM) -g $(1) | awk 'NF == 3 && $$2 ~ /[TDRB]/ { \
	    print "\#define " $$3 " INSTANCE_SYMBOL(" $$3 ")" }' | sort
$(INSTANCE_O)/names.h: $(call objects,$(INSTANCE_SRC))
	$(Q)$(call if_changed,$(call names_of,$^))

# The names are followed by arguments, because some settings have the name of such a function.
$(INSTANCE_O)/names_predictor.h: $(call objects,$(PREDICTOR_SRC))
	$(Q)$(call if_changed,$(call names_of,$^) | sed -E 's/^(.define \w+) (.*)/\1(...) \2(__VA_ARGS__)/')

# Writes a file that includes other files.
write_includes = printf '\043include "%s"\n' $(1) >$@

# The names that a model's own sources define, from a quick compilation. The header is made by the
# recipe of the object, and is touched only if its text changes.
$(MODELS:%=$(INSTANCE_O)/names-%.c): $(INSTANCE_O)/names-%.c: $(O)/instances.stamp
	$(Q)mkdir -p $(@D) && $(call write_includes,$(wildcard sim/core/model/$*/*.c))
$(MODELS:%=$(INSTANCE_O)/names-%.o): $(INSTANCE_O)/names-%.o: $(INSTANCE_O)/names-%.c $(INSTANCE_O)/model-%.h $(INSTANCE_O)/names.h $(O)/flags.stamp
	$(Q)$(COMPILE) -O0 -g0 $(call instance_include,model-$*.h names.h) -MMD -MP -MT $@ -c $< -o $@
	$(Q)$(call replace,$(@:.o=.h),$(call names_of,$@))
$(MODELS:%=$(INSTANCE_O)/names-%.h): $(INSTANCE_O)/names-%.h: $(INSTANCE_O)/names-%.o ;

$(INSTANCE_O)/table.c: Makefile $(O)/library.stamp
	$(Q)$(call if_changed,{ echo '#include "sim/core/instance/instance.h"'; \
	    $(foreach i,$(subst -,_,$(ALL_INSTANCES)),echo 'extern const struct core_instance core_instance_$(i);';) \
	    echo 'const struct core_instance *const core_instances[] = {'; \
	    $(foreach i,$(subst -,_,$(ALL_INSTANCES)),echo '    &core_instance_$(i),';) echo '    NULL};'; })
$(INSTANCE_O)/table.o: $(INSTANCE_O)/table.c
	$(Q)$(COMPILE) -MMD -MP -MT $@ -c $< -o $@

# Paths are relative to this folder, so that copies of the tree compile alike.
instance_include = $(addprefix -include ,$(patsubst $(CURDIR)/%,%,$(addprefix $(INSTANCE_O)/,$(1))))

# An instance is compiled as one source, so that its stages become one function; code for mechanisms
# that a preset does not use disappears. Link-time optimisation also makes such a function, but a
# slower one, so instances of presets are compiled without it.
# The limits of growth are raised so that GCC makes one function of the stages, and the limits of
# size so that fewer of their parts are called. The two optimisations that are switched off cost
# such a function more registers than they save instructions. Renamed registers, in a single region,
# save moves. -fwhole-program: nothing outside calls the functions of an instance.
# On x86 the code is arranged for processors made since 2013, and still runs on all: what older ones
# need costs instructions.
TUNED := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-mtune=haswell)
# In some instances, and in memory and predictors, inlining still larger parts pays.
INLINE_LARGE := --param max-inline-insns-auto=200 --param inline-unit-growth=200
LARGE_PARTS := default in_order c910 cva6 cva6ss
# A cycle of the C910 runs more code than fits the host's first-level cache: copies of expressions
# and of loop conditions would cost more misses than they save instructions.
NO_COPIES := -fno-tree-pre -fno-tree-ch
WITHOUT_COPIES := c910
# Stages with a model's answers exceed the size up to which GCC (from 12 on) inlines a function into
# its only caller.
ONCE      := --param max-inline-functions-called-once-insns=100000
LONG_ONES := c910 rsd
once       = $(shell $(CC) $(ONCE) -E -x c /dev/null >/dev/null 2>&1 && echo '$(ONCE)')
WHOLE = $(if $(findstring clang,$(CC)),,\
    --param large-function-growth=4000 --param large-stack-frame-growth=4000 \
    --param max-inline-insns-single=200 $(if $(filter $(1),$(LARGE_PARTS)),$(INLINE_LARGE),--param max-inline-insns-auto=30) \
    $(if $(filter $(1),$(WITHOUT_COPIES)),$(NO_COPIES)) $(if $(filter $(1),$(LONG_ONES)),$(once)) \
    $(TUNED) -fno-tree-slp-vectorize -fno-code-hoisting -frename-registers -fira-region=one -fwhole-program)
# Instances of models run only with settings that no preset has. They are optimised less, as they
# would take two thirds of the compile time.
WHOLE_MODEL := $(if $(filter -O2,$(CFLAGS)),-O1 $(if $(findstring clang,$(CC)),,-fwhole-program))
# clang takes sources that are included for headers, whose inline functions may call no static ones.
INCLUDED_SOURCES := $(if $(findstring clang,$(CC)),-Wno-static-in-inline)
# $(call whole,INSTANCE): in the release it also has the fixed addresses of a program (-fno-pie).
whole = $(if $(findstring -flto,$(CFLAGS)),$(and $(WHOLE),$(filter $(1),$(INSTANCES)),$(WHOLE) -fno-lto -fno-pie),$(or $(and $(filter model-%,$(1)),$(WHOLE_MODEL)),$(WHOLE))) \
    $(DENSE) $(INCLUDED_SOURCES) $(INSTANCE_PROFILE)
# An instance of the release without its profile would work, but slower: a warning tells.
INSTANCE_PROFILE := $(if $(findstring -fprofile-use,$(CFLAGS)),-Wmissing-profile)
# -g1 leaves out the locations of variables, which would take a third of the compile time.
INSTANCE_DEBUG := $(if $(filter -g,$(CFLAGS)),-g1)
# $(call instance_rules,INSTANCE)
define instance_rules
$(INSTANCE_O)/$(1).c: $(O)/instances.stamp
	$$(Q)mkdir -p $$(@D) && $$(call write_includes,$(call instance_src,$(1)))
$(INSTANCE_O)/$(1).o: $(INSTANCE_O)/$(1).c $(addprefix $(INSTANCE_O)/,$(1).h $(call instance_names,$(1))) $(O)/flags.stamp
	$$(call say,CC     ,sim/core ($(1)))
	$$(Q)$$(COMPILE) $$(INSTANCE_DEBUG) $(call whole,$(1)) $(call instance_include,$(1).h $(call instance_names,$(1))) -MMD -MP -MT $$@ -c $$< -o $$@
endef
$(foreach i,$(if $(SHARE),$(INSTANCES),$(ALL_INSTANCES)),$(eval $(call instance_rules,$(i))))

# A model's files one by one, whose calls tests/structure.sh counts.
# $(call model_rule,MODEL,SOURCE)
define model_rule
$(INSTANCE_O)/model-$(1)/$(subst /,-,$(2:.c=.o)): $(2) $(addprefix $(INSTANCE_O)/,model-$(1).h names.h) $(O)/flags.stamp
	$$(call say,CC     ,$$< ($(1)))
	$$(Q)$$(COMPILE) $(call instance_include,model-$(1).h names.h) -MMD -MP -MT $$@ -c $$< -o $$@
endef
$(foreach m,$(MODELS),$(foreach s,$(call instance_src,model-$(m)),$(eval $(call model_rule,$(m),$(s)))))
STRUCTURE_OBJ := $(foreach m,$(MODELS),$(patsubst %.c,$(INSTANCE_O)/model-$(m)/%.o,$(subst /,-,$(call instance_src,model-$(m)))))
.PHONY: structure-objects
structure-objects: $(STRUCTURE_OBJ) ; @:

$(INSTANCES:%=$(INSTANCE_O)/%.h): $(INSTANCE_O)/presets.made ;
$(INSTANCE_O)/presets.made: $(INSTANCE_O)/generate $(PRESETS) $(O)/library.stamp
	$(Q)$(foreach p,$(INSTANCES),$(call replace,$(INSTANCE_O)/$(p).h,$< $(p) sim/presets) &&) touch $@

# The only back end that a model's settings allow: a constant of its instance.
instance_kind = sed -nE 's/^MODEL_NEEDS\("[a-z0-9_]+\.", "core\.kind", "([a-z_]+)"\)/\x23define INSTANCE_KIND CORE_\U\1/p' $(1)
$(MODELS:%=$(INSTANCE_O)/model-%.h): $(INSTANCE_O)/model-%.h: sim/core/model/%/settings.def Makefile
	$(Q)$(call if_changed,{ printf '#define %s\n' 'INSTANCE_NAME "$*"' 'INSTANCE_MODEL "$*"' \
	    'INSTANCE_ENTRY core_instance_model_$*' 'INSTANCE_SYMBOL(name) model_$*_##name' \
	    'MODEL_ANSWERS "sim/core/model/$*/$*.h"' && $(call instance_kind,$<); })

$(LIB): $(LIB_OBJ) $(INSTANCE_OBJ) $(O)/library.stamp
	$(call say,AR     ,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(O)/rvsim: $(call objects,$(CLI_SRC)) $(LIB)
	$(call say,LINK   ,$@)
	$(Q)$(LINK_PROGRAM) $(filter %.o %.a,$^) $(LIBS) -o $@

$(SERVE_LIB): $(filter-out %/main.o,$(call objects,$(SERVE_SRC))) $(O)/service.stamp
	$(call say,AR     ,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(O)/rvsim-service: $(O)/prof/serve/main.o $(SERVE_LIB) $(LIB)
	$(call say,LINK   ,$@)
	$(Q)$(LINK_PROGRAM) $^ $(SERVE_LIBS) $(LIBS) -pthread -o $@

# The executable first looks for its files beside itself: presets/ and guest/.
.PHONY: data
data: $(PRESETS:sim/presets/%=$(O)/presets/%)
$(O)/presets/%: sim/presets/%
	@mkdir -p $(@D)
	@cp $< $@

# Modules of `rvsim view` are shared objects, opened by that command alone. A module whose library
# is missing is left out, and the command names the package it needs.
VIEW_O      := $(O)/view
VIEW_FONT   := $(firstword $(wildcard /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf))
PIXELS      := $(and $(VIEW_FONT),$(call package,freetype2))
VIEW_tui    := $(call package,ncursesw)
VIEW_png    := $(and $(PIXELS),$(PIXELS) zlib)
VIEW_sdl    := $(and $(PIXELS),$(call package,sdl2),sdl2 $(PIXELS) zlib)
VIEW_SRC_tui := sim/view/module/tui.c sim/view/grid.c
VIEW_SRC_png := $(addprefix sim/view/module/,png.c pixels.c write_png.c)
VIEW_SRC_sdl := $(addprefix sim/view/module/,sdl.c pixels.c write_png.c)
MODULES     := $(foreach m,tui png sdl,$(if $(VIEW_$(m)),$(VIEW_O)/$(m).so))

.PHONY: modules
modules: $(MODULES) ; @:

# $(call module_object,MODULE,SOURCE)
module_object = $(VIEW_O)/$(1)/$(notdir $(2:.c=.o))
define module_rule
$(call module_object,$(1),$(2)): $(2) $(O)/flags.stamp
	$$(call say,CC     ,$$< ($(1)))
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE) -fPIC -DVIEW_FONT='"$(VIEW_FONT)"' \
	    $$$$(pkg-config --cflags $(VIEW_$(1)) | sed 's/-I/-isystem /g') -MMD -MP -c $$< -o $$@
endef
define module_rules
$(foreach s,$(VIEW_SRC_$(1)),$(eval $(call module_rule,$(1),$(s))))
$(VIEW_O)/$(1).so: $(foreach s,$(VIEW_SRC_$(1)),$(call module_object,$(1),$(s)))
	$$(call say,LINK   ,$$@)
	$$(Q)$$(LINK) -shared $$^ $$$$(pkg-config --libs $(VIEW_$(1))) -lm -o $$@
endef
$(foreach m,$(MODULES:$(VIEW_O)/%.so=%),$(eval $(call module_rules,$(m))))

# The release is built twice: the first build counts executions, the second is optimised for these
# counts. The statistics of the result are compared with those of the plain build.
RELEASE       := $(O)/release/rvsim
RELEASE_FLAGS := -O2 -g -flto=auto -fprofile-partial-training -Wno-missing-profile
RELEASE_MAKE   = $(MAKE) O=$(O)/release INSTANCES='$(RELEASE_INSTANCES)' SHARE_GUEST=$(O)/guest AR=gcc-ar NM=gcc-nm CCACHE_DISABLE=1
RELEASE_INPUT := $(wildcard $(LIB_DIRS:%=%/*.[ch]) $(LIB_DIRS:%=%/*.def)) \
                 $(shell find sim/cli -name '*.[ch]' -o -name '*.def') $(PRESETS) Makefile
# Machines of the training runs, beside the default one with either back end.
RELEASE_PRESETS := $(filter-out default in_order,$(RELEASE_INSTANCES))
stamp_release = $(CC) $(PREFIX) $(VERSION)

.PHONY: release
release: $(RELEASE) ## the fastest build: $(O)/release/rvsim (profile-guided, link-time optimised; gcc)
	@:
$(RELEASE): $(RELEASE_INPUT) $(O)/release.stamp
	@$(MAKE) all bench-programs
	@find $(@D) -name '*.gcda' -delete 2>/dev/null; rm -f $@
	@$(RELEASE_MAKE) CFLAGS='$(RELEASE_FLAGS) -fprofile-generate' all
	@echo '  TRAIN   $@'
	@tests/bench/train.sh run $@ $(BENCH_O) $(RELEASE_PRESETS)
	@$(RELEASE_MAKE) CFLAGS='$(RELEASE_FLAGS) -fprofile-use' all
	@echo '  COMPARE $@'
	@tests/bench/train.sh compare $@ $(O)/rvsim $(BENCH_O) $(RELEASE_PRESETS)

# ---- components from elsewhere ------------------------------------------------------------
# make EXTRAS=FOLDER: a simulator of its own, $(O)/extras/NAME/rvsim, with the folder's .c files and
# the rows of its .def files (docs/extending.md). It is linked with the plain build's library,
# except for objects that expand a table: new ones come first and define all names of the library's
# own objects, so that those are not linked.
ifdef EXTRAS
EXTRAS_TABLES := direction indirect prefetch replacement scheme event settings
EXTRAS_DIR    := $(abspath $(EXTRAS))
EXTRAS_O      := $(O)/extras/$(notdir $(EXTRAS_DIR))
EXTRAS_ROWS   := $(wildcard $(EXTRAS_DIR)/*.def)
EXTRAS_WRONG  := $(filter-out $(EXTRAS_TABLES),$(notdir $(EXTRAS_ROWS:.def=)))
EXTRAS_KNOWN   = expected one of $(EXTRAS_TABLES:=.def)
ifeq ($(EXTRAS_ROWS),)
$(error $(EXTRAS) has no rows; $(EXTRAS_KNOWN))
endif
ifneq ($(EXTRAS_WRONG),)
$(error $(EXTRAS)/$(firstword $(EXTRAS_WRONG)).def is no table; $(EXTRAS_KNOWN))
endif
ifneq ($(filter-out extras $(EXTRAS_O)/rvsim,$(MAKECMDGOALS)),)
$(error EXTRAS= builds a simulator only; make $(MAKECMDGOALS) knows nothing of it)
endif
.DEFAULT_GOAL := extras
# Removes the objects of another folder of the same name.
ifneq ($(file <$(EXTRAS_O)/folder),$(EXTRAS_DIR))
$(shell mkdir -p $(EXTRAS_O) && rm -f $(EXTRAS_O)/*.[do] && echo $(EXTRAS_DIR) >$(EXTRAS_O)/folder)
endif

empty :=
comma := ,
# A folder with settings.def is a model of a core (sim/core/model), of the folder's name.
EXTRAS_MODEL := $(if $(filter %/settings.def,$(EXTRAS_ROWS)),$(notdir $(EXTRAS_DIR)))
TABLES_RE   := $(subst $(empty) $(empty),|,$(EXTRAS_TABLES) $(if $(EXTRAS_MODEL),config models))
TABLE_SRC   := $(shell grep -lE '^.include "(sim/base|pmu|pmu/scheme)/($(TABLES_RE))\.def"' $(LIB_SRC))
EXTRAS_SRC  := $(wildcard $(EXTRAS_DIR)/*.c)
TABLE_OBJ   := $(TABLE_SRC:%.c=$(EXTRAS_O)/table/%.o)
EXTRAS_OBJ  := $(EXTRAS_SRC:$(EXTRAS_DIR)/%.c=$(EXTRAS_O)/%.o) $(TABLE_OBJ)
ifneq ($(EXTRAS_MODEL),)
EXTRAS_PIPE_SRC := $(INSTANCE_SRC) $(INSTANCE)/entry.c
EXTRAS_PIPE_OBJ := $(EXTRAS_O)/pipe/pipe.o
EXTRAS_OBJ += $(EXTRAS_PIPE_OBJ) $(EXTRAS_O)/instances.o
EXTRAS_PIPE_H := $(EXTRAS_O)/model.h $(O)/./$(INSTANCE)/names.h
endif
EXTRAS_INCLUDE := $(EXTRAS_O)/include
# Flags for the tree's own sources, which are compiled once more.
EXTRAS_FLAGS   ?=
EXTRAS_COMPILE  = $(COMPILE) $(EXTRAS_OWN) -DEXTRAS -I$(EXTRAS_INCLUDE) -I$(EXTRAS_DIR) -MMD -MP -MT $@ -c $< -o $@

# First the plain build; then another make, which sees the new library, links with it.
.PHONY: extras
extras: all
	@$(MAKE) $(EXTRAS_O)/rvsim
	@ln -sfn ../../rvsim-service $(EXTRAS_O)/rvsim-service && ln -sfn ../../presets $(EXTRAS_O)/presets && ln -sfn ../../guest $(EXTRAS_O)/guest

# Each table ends with an include of one of these, with or without rows.
ROWS_INCLUDED := $(EXTRAS_TABLES:%=$(EXTRAS_INCLUDE)/extras/%.def)
$(ROWS_INCLUDED): $(EXTRAS_INCLUDE)/extras/%.def: FORCE
	@$(call if_changed,{ $(foreach r,$(filter %/$*.def,$(EXTRAS_ROWS)),$(if $(filter settings,$*),echo 'MODEL($(EXTRAS_MODEL))';) printf '\043include "%s"\n' $(r);) :; })

# The pipe with the answers of the folder's model, and the list of instances with that one.
$(EXTRAS_O)/model.h: $(EXTRAS_DIR)/settings.def Makefile
	@$(call if_changed,{ printf '#define %s\n' 'INSTANCE_NAME "$(EXTRAS_MODEL)"' \
	    'INSTANCE_MODEL "$(EXTRAS_MODEL)"' 'INSTANCE_ENTRY core_instance_extra' \
	    'INSTANCE_SYMBOL(name) extra_##name' 'MODEL_ANSWERS "$(EXTRAS_DIR)/$(EXTRAS_MODEL).h"' && \
	    $(call instance_kind,$<); })
$(EXTRAS_O)/instances.c: $(INSTANCE_O)/table.c
	@$(call if_changed,sed -e 's/^const/extern const struct core_instance core_instance_extra;\n&/' \
	    -e 's/= {$$/&\n    \&core_instance_extra$(comma)/' $<)
$(EXTRAS_PIPE_OBJ) $(TABLE_OBJ): EXTRAS_OWN = $(EXTRAS_FLAGS)
$(EXTRAS_O)/instances.o: $(EXTRAS_O)/instances.c
	$(Q)$(EXTRAS_COMPILE)
$(EXTRAS_PIPE_OBJ:.o=.c): FORCE
	@$(call if_changed,printf '\043include "%s"\n' $(EXTRAS_PIPE_SRC))
$(EXTRAS_PIPE_OBJ): $(EXTRAS_PIPE_OBJ:.o=.c) $(EXTRAS_PIPE_H) $(O)/flags.stamp | $(ROWS_INCLUDED)
	$(call say,CC     ,sim/core ($(EXTRAS_MODEL)))
	$(Q)$(EXTRAS_COMPILE) $(addprefix -include ,$(EXTRAS_PIPE_H))

$(EXTRAS_O)/%.o: $(EXTRAS_DIR)/%.c $(EXTRAS_PIPE_H) $(O)/flags.stamp | $(ROWS_INCLUDED)
	$(call say,CC     ,$<)
	@mkdir -p $(@D)
	$(Q)$(EXTRAS_COMPILE) $(addprefix -include ,$(EXTRAS_PIPE_H))

$(TABLE_OBJ): $(EXTRAS_O)/table/%.o: %.c $(O)/flags.stamp | $(ROWS_INCLUDED)
	$(call say,CC     ,$< ($(notdir $(EXTRAS_DIR))))
	@mkdir -p $(@D)
	$(Q)$(EXTRAS_COMPILE)

$(EXTRAS_O)/list: FORCE
	@$(call if_changed,echo $(EXTRAS_SRC) $(TABLE_SRC) $(EXTRAS_PIPE_OBJ))

PLAIN_BUILD := $(CLI_SRC:%.c=$(O)/./%.o) $(LIB:$(O)/%=$(O)/./%) $(O)/./$(INSTANCE)/names.h
$(PLAIN_BUILD): ;
$(EXTRAS_O)/rvsim: $(PLAIN_BUILD) $(EXTRAS_OBJ) $(EXTRAS_O)/list
	$(call say,LINK   ,$@)
	$(Q)$(LINK_PROGRAM) $(QUICK_LINKER) $(CLI_SRC:%.c=$(O)/%.o) $(EXTRAS_OBJ) $(LIB) $(LIBS) -o $@

-include $(EXTRAS_OBJ:.o=.d)
endif

# ---- guest --------------------------------------------------------------------------------
# guest/guest.mk may use $(GUEST_O), $(GUEST_CC) and $(LINUX_CC); it adds what it builds to
# GUEST_PROGRAMS and defines the target demo-run.
GUEST_O  := $(O)/guest
GUEST_CC ?= riscv64-unknown-elf-gcc
LINUX_CC ?= riscv64-linux-gnu-gcc

ifdef SHARE_GUEST
# Another flavour of the simulator runs the same guest programs.
data: $(GUEST_O)
$(GUEST_O): ; @mkdir -p $(@D) && ln -sfn $(abspath $(SHARE_GUEST)) $@
else
MONITOR_SRC   := $(wildcard guest/monitor/*.c guest/monitor/*.S)
MONITOR_LD    := $(firstword $(wildcard guest/monitor/*.ld))
MONITOR_FLAGS := -mcmodel=medany -ffreestanding -fno-pic -fno-common -ffunction-sections -Os -g
MONITOR_LINK  := -nostdlib -static -Wl,--gc-sections -Wl,--build-id=none $(MONITOR_LD:%=-T %)
# For each XLEN: its program, its folder of objects, its instruction set.
MONITOR_64 := $(GUEST_O)/monitor.elf
MONITOR_32 := $(GUEST_O)/monitor32.elf
MONITOR_64_FLAGS := -march=rv64ima_zicsr -mabi=lp64 $(MONITOR_FLAGS)
MONITOR_32_FLAGS := -march=rv32ima_zicsr -mabi=ilp32 $(MONITOR_FLAGS)
# Shifts of 64 bits are calls. Compilers come with this library for few instruction sets.
MONITOR_32_LIB = $$($(GUEST_CC) -march=rv32im -mabi=ilp32 -print-libgcc-file-name)
MONITOR_64_OBJ := $(patsubst guest/%,$(GUEST_O)/%.o,$(MONITOR_SRC))
MONITOR_32_OBJ := $(patsubst guest/monitor/%,$(GUEST_O)/monitor32/%.o,$(MONITOR_SRC))
MONITOR_OBJ := $(MONITOR_64_OBJ) $(MONITOR_32_OBJ)
MONITOR     := $(if $(MONITOR_SRC),$(MONITOR_64) $(MONITOR_32))

# monitor_compile FLAGS, monitor_link FLAGS,OBJECTS
monitor_compile = $(GUEST_CC) -std=gnu17 $(1) $(WARNINGS) -I. -MMD -MP -MT $@ -c $< -o $@
monitor_link = $(GUEST_CC) $(1) $(MONITOR_LINK) $(2) -o $@

$(GUEST_O)/monitor/%.o: guest/monitor/% Makefile
	$(call say,GUEST  ,$<)
	@mkdir -p $(@D)
	$(Q)$(call monitor_compile,$(MONITOR_64_FLAGS))

$(GUEST_O)/monitor32/%.o: guest/monitor/% Makefile
	$(call say,GUEST  ,$@)
	@mkdir -p $(@D)
	$(Q)$(call monitor_compile,$(MONITOR_32_FLAGS))

$(MONITOR_64): $(MONITOR_64_OBJ) $(MONITOR_LD)
	$(call say,GUEST  ,$@)
	$(Q)$(call monitor_link,$(MONITOR_64_FLAGS),$(MONITOR_64_OBJ))

$(MONITOR_32): $(MONITOR_32_OBJ) $(MONITOR_LD)
	$(call say,GUEST  ,$@)
	$(Q)$(call monitor_link,$(MONITOR_32_FLAGS),$(MONITOR_32_OBJ) $(MONITOR_32_LIB))

-include guest/guest.mk
ifneq ($(shell command -v $(GUEST_CC)),)
data: $(MONITOR)
else ifneq ($(MONITOR),)
data: ; @echo "rvsim: no $(GUEST_CC), so no guest monitor; \`make deps\` installs it" >&2
endif
endif

.PHONY: guest demo
guest: $(MONITOR) $(GUEST_PROGRAMS) ## build the guest monitor and the example programs
	@:

demo: ## install what is missing, build, and profile an example program
	@tests/setup.sh build guest
	@$(MAKE) all guest
	@$(MAKE) demo-run

# ---- tests --------------------------------------------------------------------------------
# Unit tests run under the sanitizers. Tests that do less there also run in the plain build; with
# PLAIN=1 all tests do. A test passes when all its runs pass. Sanitized tests use the plain build's
# instances of models: only `make asan` sanitizes the pipe together with a model's answers.
ASAN := O=$(O)/asan SHARE_GUEST=$(O)/guest SANITIZE=address,undefined
# make test T=isa/ or make test T=cache: only the tests whose path contains the text.
chosen = $(if $(T),$(foreach t,$(1),$(if $(findstring $(T),$(t)),$(t))),$(1))
TESTS = $(call chosen,$(UNIT_SRC) $(SCRIPTS))
CHOSEN_UNIT = $(filter $(UNIT_SRC),$(TESTS))
DOES_LESS = $(if $(CHOSEN_UNIT),$(shell grep -l __SANITIZE_ADDRESS__ $(CHOSEN_UNIT)))
SELECTED = $(patsubst %.c,$(O)/%,$(if $(SANITIZE)$(PLAIN),$(CHOSEN_UNIT),$(DOES_LESS)))
# If something does not build, a test fails, and the other tests run all the same.
attempt = mkdir -p $(1) && rm -f $(1)/build-failed && { $(2) || touch $(1)/build-failed; }

.PHONY: test build-plain build-asan test-programs unit-tests unit-members asan bench stages fuzz
test: build-plain build-asan ## install what is missing, build, and run every test (T=part of a name; PLAIN=1: all unit tests plain, too)
	@PLAIN=$(PLAIN) tests/run.sh $(O)/test $(O) $(O)/asan -- $(TESTS)

build-plain: setup-test
	@$(call attempt,$(O),$(MAKE) -k all guest test-programs)
build-asan: build-plain
	@$(call attempt,$(O)/asan,$(if $(CHOSEN_UNIT),for goal in unit-members unit-tests; do \
	    $(MAKE) -k $(ASAN) SHARE=$(O) $$goal || status=1; done; [ -z "$$status" ],:))
test-programs: unit-tests $(O)/docs/generate ; @:
unit-tests: $(SELECTED) ; @:

.PHONY: setup-test
setup-test:
	@tests/setup.sh build guest test

asan: setup-test ## run every test, scripts too, with the simulator under ASan and UBSan
	@$(call attempt,$(O),$(MAKE) -k guest)
	@$(call attempt,$(O)/asan,$(MAKE) -k $(ASAN) all test-programs)
	@tests/run.sh $(O)/asan/test $(O)/asan -- $(TESTS)

# Sanitized unit tests of a folder are one program, with a link to it for each test (tests/unit.c).
# Linking is slow with the default linker, and with debugging information, which only the
# sanitizers' reports need, and a test that reads its own (TEST_LINK= keeps it).
TEST_LINK   ?= $(if $(SANITIZE),,-Wl,--strip-debug) $(QUICK_LINKER)
UNIT_PROGRAMS := $(if $(SANITIZE),$(UNIT_DIRS:%=$(O)/%unit),$(UNIT))
$(O)/tests/prof/symbols/%: TEST_LINK = $(QUICK_LINKER)
UNIT_OBJ := $(call objects,tests/unit.c $(SUPPORT_SRC))
$(UNIT_PROGRAMS): $(UNIT_OBJ) $(SERVE_LIB) $(LIB)
	$(call say,LINK   ,$@)
	@rm -f $@
	$(Q)$(LINK_PROGRAM) $(TEST_LINK) $(filter %.o,$^) $(filter %.a,$^) $(SERVE_LIBS) $(LIBS) -lcmocka -o $@
	$(if $(SANITIZE),@for test in $(basename $(filter %_test.o,$^)); do ln -sf unit $$test; done)
$(foreach t,$(UNIT),$(if $(SANITIZE),$(eval $(dir $(t))unit: $(t).o)$(eval $(t): $(dir $(t))unit ;),$(eval $(t): $(t).o)))

# The members of the library that unit tests need, directly or indirectly, found in the plain build.
FIND_MEMBERS = \
    function follow(at, names, n) { \
        if (at == "" || seen[at]++) return; \
        for (n = split(needs[at], names); n > 0; n--) follow(place[names[n]]); \
        if (sub(/.*librvsim[.]a:/, "", at)) print substr(at, 1, length(at) - 2) } \
    NF < 3 { next } \
    { at = $$1; sub(/:[0-9a-f]*$$/, "", at) } \
    $$(NF - 1) == "U" { needs[at] = needs[at] " " $$NF; next } \
    { place[$$NF] = at } \
    END { for (at in needs) if (at !~ /[.]a:/) follow(at) }
unit-members: $(UNIT_OBJ) $(filter $(addsuffix %,$(dir $(SELECTED))),$(UNIT:=.o))
	@$(call replace,$(UNIT_MEMBERS),$(NM) -gA $^ $(SHARE)/$(notdir $(SERVE_LIB)) $(SHARE)/$(notdir $(LIB)) | \
	    awk '$(FIND_MEMBERS)' | sort)

include tests/bench/bench.mk
.PHONY: bench-programs
bench-programs: $(BENCH_PROGRAMS) ; @:

# RVSIM= names another simulator to measure; the default is that of `make release`, if it was made.
bench: $(if $(wildcard $(RELEASE)),release) ## measure the simulator's speed, beside others (tests/bench/run.sh says how)
	@tests/setup.sh build guest
	@$(MAKE) all bench-programs $(BENCH_O)/measure
	@RVSIM=$(abspath $(or $(RVSIM),$(wildcard $(RELEASE)),$(O)/rvsim)) GUEST_CC=$(GUEST_CC) \
	    BENCH_O=$(abspath $(BENCH_O)) BENCH_OUT=$(abspath $(BENCH_O)) \
	    MEASURE=$(abspath $(BENCH_O))/measure tests/bench/run.sh

stages: ## tell where the simulator's time goes (needs perf)
	@$(MAKE) all bench-programs
	@RVSIM=$(abspath $(or $(RVSIM),$(wildcard $(RELEASE)),$(O)/rvsim)) \
	    BENCH_O=$(abspath $(BENCH_O)) tests/bench/stages.sh

$(BENCH_O)/measure: tests/bench/measure.c $(O)/flags.stamp
	$(call say,CC     ,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $< -o $@

# SEEDS=FROM..TO: the programs of each of the eight kinds.
SEEDS ?= 0..63
.PHONY: truth
truth: ## compare what the commands print about five hundred drawn programs with their traces
	@tests/setup.sh build guest test
	@$(MAKE) all guest
	@RVSIM=$(abspath $(O)/rvsim) PYTHONDONTWRITEBYTECODE=1 tests/truth/check.py \
	    --jobs $(JOBS) --seeds $(SEEDS) $(O)/truth

.PHONY: fidelity
fidelity: ## compare the presets' cycles with RTL (KERNELS=, RTL=, CORES=, PROGRAMS=)
	@tests/setup.sh build guest
	@$(MAKE) all
	@RVSIM=$(abspath $(O)/rvsim) O=$(abspath $(O)) tests/fidelity/run.sh

# To be used only after a change of the model: an optimisation leaves the file as it is.
.PHONY: golden
golden: all ## write tests/golden/statistics.txt, which holds what no optimisation changes
	@RVSIM=$(abspath $(O)/rvsim) tests/golden/measure.sh $(O)/golden
	@! grep . $(O)/golden/failed || { echo 'golden: these runs fail' >&2; exit 1; }
	@cp $(O)/golden/table tests/golden/statistics.txt

FUZZ_SECONDS ?= 20
fuzz: ## fuzz everything that reads a file, FUZZ_SECONDS each (T=part of a name)
	@tests/setup.sh build fuzz
	@$(MAKE) O=$(O)/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzz-programs
	@tests/fuzz.sh $(O)/fuzz $(FUZZ_SECONDS) $(call chosen,$(FUZZ_SRC))

# Objects that fuzzers need and no library has: of the command line, and of the guest.
FUZZ_LSP    := $(call objects,$(filter-out sim/cli/main.c,$(CLI_SRC)))
FUZZ_ANSWER := $(call objects,$(FUZZ_ANSWER_SRC))
$(O)/tests/fuzz/lsp_fuzz: $(FUZZ_LSP)
$(O)/tests/fuzz/answer_fuzz: $(FUZZ_ANSWER)
$(O)/tests/fuzz/answer_fuzz.o $(FUZZ_ANSWER): CPPFLAGS += -Iguest/include

.PHONY: fuzz-programs
fuzz-programs: $(FUZZ) ; @:
$(FUZZ): $(O)/%: $(O)/%.o $(call objects,$(SUPPORT_SRC)) $(SERVE_LIB) $(LIB)
	$(call say,LINK   ,$@)
	$(Q)$(LINK) -fsanitize=fuzzer $(filter %.o,$^) $(filter %.a,$^) $(SERVE_LIBS) $(LIBS) -o $@

# ---- libprofhw, for programs on the host ---------------------------------------------------
# A fetched capstone is copied into the library, as users of the library may have none.
$(O)/libprofhw.a: $(LIB) Makefile
	$(call say,AR     ,$@)
	@rm -f $@
	$(Q)printf '%s\n' 'CREATE $@' $(LIB:%='ADDLIB %') $(CAPSTONE_LIBS:%='ADDLIB %') SAVE END | $(AR) -M

# profhw_pc LIBRARY_FOLDER,HEADER_FOLDER
profhw_pc = printf '%s\n' 'Name: profhw' 'Version: $(VERSION)' \
    'Description: the profiling hardware of a simulated RISC-V machine' \
    'Cflags: -I$(2)' 'Libs: -L$(1) -lprofhw $(SYSTEM_LIBS)'
$(O)/profhw.pc: $(O)/libprofhw.a sim/host/profhw.h $(O)/data.stamp Makefile
	$(Q)install -D -m 644 sim/host/profhw.h $(O)/include/profhw.h
	$(Q)$(call profhw_pc,$(O),$(O)/include) > $@

# ---- everything else ----------------------------------------------------------------------
DEST      := $(DESTDIR)$(PREFIX)
DESTSHARE := $(DEST)/share
GUEST_HEADERS ?= $(wildcard guest/include/*.h guest/include/*/*.h)
# Everything that `make install` makes; the folders belong to rvsim alone.
INSTALLED = $(DEST)/bin/rvsim $(DEST)/bin/rvsim-service $(DEST)/lib/libprofhw.a $(DEST)/include/profhw.h \
    $(DEST)/lib/pkgconfig/profhw.pc $(DESTSHARE)/man/man1/rvsim.1 $(DESTSHARE)/rvsim \
    $(DESTSHARE)/doc/rvsim $(DESTSHARE)/bash-completion/completions/rvsim \
    $(DESTSHARE)/zsh/site-functions/_rvsim

# Refuses names with blanks, whose parts `rm` would take for several names.
$(if $(filter install uninstall,$(MAKECMDGOALS)),$(if $(filter-out 0 1,$(words $(DEST))),\
    $(error PREFIX and DESTDIR: '$(DEST)' has a blank; expected names without)))

.PHONY: install uninstall docs deps lint structure pages clean help
install: all $(if $(wildcard $(RELEASE)),release) ## install under PREFIX (default /usr/local); DESTDIR is put before it
	install -D -m 755 $(or $(wildcard $(RELEASE)),$(O)/rvsim) $(DEST)/bin/rvsim
	install -D -m 755 $(O)/rvsim-service $(DEST)/bin/rvsim-service
	$(if $(wildcard docs/rvsim.1),install -D -m 644 -t $(DESTSHARE)/man/man1 docs/rvsim.1)
	install -D -m 644 $(O)/libprofhw.a $(DEST)/lib/libprofhw.a
	install -D -m 644 sim/host/profhw.h $(DEST)/include/profhw.h
	@install -d $(DEST)/lib/pkgconfig
	@$(call profhw_pc,$${pcfiledir}/..,$${pcfiledir}/../../include) > $(DEST)/lib/pkgconfig/profhw.pc
	$(if $(PRESETS),install -D -m 644 -t $(DESTSHARE)/rvsim/presets $(PRESETS))
	$(if $(MODULES),install -D -m 644 -t $(DESTSHARE)/rvsim/view $(MODULES))
	$(if $(MONITOR),install -D -m 644 -t $(DESTSHARE)/rvsim/guest $(MONITOR))
	@for f in $(GUEST_HEADERS:guest/include/%=%); do \
	    install -D -m 644 guest/include/$$f $(DESTSHARE)/rvsim/include/$$f || exit 1; done
	@install -D -m 644 -t $(DESTSHARE)/rvsim/lib $(wildcard guest/lib/*)
	@for f in $(wildcard pmu/abi*.h pmu/event.def isa/hint.h isa/field.h isa/csr.def); do \
	    install -D -m 644 $$f $(DESTSHARE)/rvsim/include/$$f || exit 1; done
	@for f in README.md $(shell find docs -name '*.md'); do \
	    install -D -m 644 $$f $(DESTSHARE)/doc/rvsim/$$f || exit 1; done
	@install -d $(DESTSHARE)/doc/rvsim/guest $(DESTSHARE)/doc/rvsim/sim/host
	@cd $(DESTSHARE)/doc/rvsim && ln -sfn ../../../rvsim/include guest/include && \
	    ln -sfn ../../../rvsim/examples guest/examples && ln -sfn ../../rvsim/include/pmu pmu && \
	    ln -sfn ../../../../rvsim/schema docs/reference/schema && \
	    ln -sfn ../../../../../include/profhw.h sim/host/profhw.h
	@install -D -m 644 -t $(DESTSHARE)/rvsim/schema $(wildcard docs/reference/schema/*.json)
	@for f in $(shell find guest/examples -type f); do \
	    install -D -m 644 $$f $(DESTSHARE)/rvsim/examples/$${f#guest/examples/} || exit 1; done
	@install -d $(DESTSHARE)/bash-completion/completions $(DESTSHARE)/zsh/site-functions
	$(O)/rvsim help --completion > $(DESTSHARE)/bash-completion/completions/rvsim
	$(O)/rvsim help --completion-zsh > $(DESTSHARE)/zsh/site-functions/_rvsim

uninstall: ## remove what `make install` installed, under the same PREFIX and DESTDIR
	rm -rf $(INSTALLED)

REFERENCE ?= docs/reference
docs: $(O)/docs/generate $(O)/rvsim ## write docs/reference and the manual page from the tables in the source
	@mkdir -p $(REFERENCE) && $(O)/docs/generate $(REFERENCE)
	@$(O)/rvsim help --man > docs/rvsim.1

$(O)/docs/generate: $(O)/docs/generate.o $(LIB)
	$(call say,LINK   ,$@)
	$(Q)$(LINK_PROGRAM) $(filter %.o %.a,$^) $(LIBS) -o $@

deps: ## install everything any target needs
	@tests/setup.sh all

lint: $(if $(wildcard $(LIB)),structure-objects) ## check the house rules (tests/lint.sh)
	@tests/lint.sh $(LIB)

# To be used only after a change of the commands' output; read the difference.
pages: all guest ## rewrite the output that documentation pages show (P="page ...": only those)
	@tests/docs/pages.sh --update $(P)

structure: all structure-objects ## tell how the core's files hang together (tests/structure.sh)
	@tests/structure.sh $(O)

clean: ## remove $(O); what `make deps` fetched stays in $(DEPS)
	rm -rf $(O)

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    sed 's|$$(O)|$(O)|g; s|$$(DEPS)|$(DEPS)|g' | expand -t 10

-include $(INSTANCE_OBJ:.o=.d) $(MODELS:%=$(INSTANCE_O)/names-%.d) $(STRUCTURE_OBJ:.o=.d)
-include $(patsubst %.c,$(O)/%.d,$(LIB_SRC) $(SERVE_SRC) $(INSTANCE)/generate.c $(CLI_SRC) $(UNIT_SRC) tests/unit.c $(SUPPORT_SRC) $(FUZZ_SRC) docs/generate.c)
-include $(MONITOR_OBJ:.o=.d)
-include $(foreach m,tui png sdl,$(patsubst %.c,$(VIEW_O)/$(m)/%.d,$(notdir $(VIEW_SRC_$(m)))))
