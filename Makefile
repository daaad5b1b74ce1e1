# SPDX-License-Identifier: GPL-2.0
#
# MRC for Linux. "make help" lists the targets. The kernel's build system
# reads Kbuild, never this file.

LAB := tools/lab

# Where "make" finds a kernel to build against
ifeq ($(origin KDIR),undefined)
KDIR = $(eval KDIR := $$(shell $(LAB)/kdir))$(KDIR)
endif

PREFIX ?= /usr/local
export PREFIX

# User space: a directory with a Makefile of its own each
TOOLS := $(patsubst %/Makefile,%,$(wildcard tools/mrcctl/Makefile \
					    tools/mrcrun/Makefile))
PROGS := $(patsubst %/Makefile,%,$(wildcard tools/lab/*/Makefile \
					    selftests/*/Makefile \
					    selftests/net/mrc/Makefile \
					    examples/Makefile))

.PHONY: all modules tools progs
all: modules tools progs

modules:
	@test -n "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tools: $(TOOLS)
progs: $(PROGS)

.PHONY: $(TOOLS) $(PROGS)
$(TOOLS) $(PROGS):
	$(MAKE) -C $@

# One object, as in the kernel: make net/mrc/wire.o
net/mrc/%.o net/mrc/%.i: FORCE
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

.PHONY: modules_install install
modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

install: $(TOOLS)
	for dir in $(TOOLS); do $(MAKE) -C $$dir install || exit; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/linux \
		include/uapi/linux/mrc.h include/uapi/linux/mrc_diag.h

# --- proof -----------------------------------------------------------------

.PHONY: setup demo shell kunit check check-debug check-full lint mutate vt soak
.PHONY: bench bench-full bench-cpu check-programs
setup:
	$(LAB)/setup

demo:
	@$(LAB)/demo

kunit:
	selftests/kunit

check check-debug check-full:
	selftests/check $(@:check-%=%)

check-programs:
	selftests/programs/check

# Five minutes of what check does for twenty seconds
soak: export TEST_SOAK_TIME ?= 300
soak: export TEST_TIMEOUT ?= 1800
soak:
	$(LAB)/setup
	$(LAB)/mod debian
	$(MAKE) -s tools progs
	selftests/net/mrc/run soak.sh

lint:
	$(LAB)/lint

mutate:
	selftests/mutate

# One run of each variant, where the results that are kept have three
vt:
	selftests/bench/bench -r 1 -o build/vt

bench bench-full:
	$(LAB)/setup plots
	selftests/bench/bench -p $(if $(filter %-full,$@),-f)

bench-cpu: setup
	mkdir -p build
	$(LAB)/cpu/run -o build/cpu.json -m build/cpu.md

shell: setup
	@$(LAB)/shell

# --- the rest --------------------------------------------------------------

.PHONY: clean help
clean:
	rm -rf build
	find net include Kbuild \( -name '*.o' -o -name '*.ko' -o \
		-name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' -o \
		-name 'compat-gen.h' -o -name 'core_*.c' -o \
		-name 'modules.order' -o -name 'Module.symvers' \) -delete
	rm -f modules.order Module.symvers .*.cmd .*.d *.o *.mod *.mod.c
	for dir in $(TOOLS) $(PROGS); do $(MAKE) -C $$dir clean || exit; done

help:
	@echo 'Build (KDIR=... for another kernel; found here: $(KDIR))'
	@echo '  all              the module, the tools, the test programs'
	@echo '  W=1 modules      the module with more warnings'
	@echo '  modules_install  the module to /lib/modules'
	@echo '  install          tools, man page, completion, header to PREFIX'
	@echo '                   ($(PREFIX))'
	@echo 'Proof (on Debian 12 or 13; builds and boots its own kernels)'
	@echo '  setup            install what the following need'
	@echo '  demo             a file crosses four planes, two of which break'
	@echo '  kunit            unit tests in User-Mode Linux: seconds'
	@echo '  check            unit tests and self-tests in a VM'
	@echo '  check-debug      a part of them under KASAN, lockdep, kmemleak'
	@echo '  check-full       all of them under KASAN, lockdep, kmemleak'
	@echo '  check-programs   iperf3, nginx, redis ... over MRC by mrcrun'
	@echo '  soak             500 connections that stall, end and break off, for five'
	@echo '                   minutes (TEST_SOAK_TIME=300 seconds)'
	@echo '  lint             checkpatch, sparse, shellcheck ..., Linux 7.3'
	@echo '  mutate           break a line, expect a red test: twenty times'
	@echo '  vt               speed, recovery, memory beside TCP and MPTCP in'
	@echo '                   virtual time (10 minutes)'
	@echo '  bench            the same, three runs each, with tables and pictures'
	@echo '                   in build/bench'
	@echo '  bench-full       and the sweep of the settings of MPTCP, and 64 MB'
	@echo '  bench-cpu        instructions per byte and message beside TCP and'
	@echo '                   MPTCP, and the functions that cost most'
	@echo '  shell            a VM with a fabric of two hosts, interactive'
	@echo '  clean            remove all that was built in this tree'

.PHONY: FORCE
FORCE:
