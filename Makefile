# The common tasks. `make` only builds; `make check` installs what it needs, builds and tests.
BUILD ?= build
CMAKE_OPTIONS ?=

.PHONY: all setup setup-fpga demo check check-all format clean

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) --parallel

$(BUILD)/CMakeCache.txt:
	@cmake --log-level=NOTICE -S . -B $(BUILD) $$(command -v ninja >/dev/null && echo -G Ninja) $(CMAKE_OPTIONS) \
	    || { rm -f $@; echo "If a library is missing: make setup" >&2; exit 1; }

setup:
	@tools/setup.sh

setup-fpga:
	@tools/setup.sh fpga

demo: setup
	@mkdir -p $(BUILD)
	@echo "building tepal (about a minute, once; the log is in $(BUILD)/make.log)"
	@$(MAKE) --no-print-directory all >$(BUILD)/make.log 2>&1 || { tail -n 30 $(BUILD)/make.log; exit 1; }
	@examples/demo.sh

check: setup
	@$(MAKE) --no-print-directory all
	@tools/calyx.sh
	@tools/circt.sh
	@BUILD=$(BUILD) test/run.sh

# Also builds with clang, and tests with the sanitizers.
check-all: check
	@! command -v clang >/dev/null || $(MAKE) --no-print-directory all BUILD=build-clang \
	    CMAKE_OPTIONS=-DCMAKE_C_COMPILER=clang
	@$(MAKE) --no-print-directory all BUILD=build-sanitize CMAKE_OPTIONS=-DTEPAL_SANITIZE=ON
	@BUILD=build-sanitize test/run.sh

format:
	@clang-format -i $$(find src include test -name '*.c' -o -name '*.h')

clean:
	rm -rf build build-clang build-sanitize
