# Front for people: `make demo` and `make test` do all of their own set-up on a
# fresh Debian 12. Developers use CMake's presets directly.

PRESET ?= dev
BUILD := build/$(PRESET)
DEMO := build/demo

.PHONY: build demo test format clean

build:
	@scripts/install-dependencies.sh
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET)

# From a checkpoint in the released format to text.
demo: build
	@mkdir -p $(DEMO)
	$(BUILD)/bin/k3-import examples/models/k3-tiny -o $(DEMO)/k3-tiny.mlir
	$(BUILD)/bin/k3-compile $(DEMO)/k3-tiny.mlir -o $(DEMO)/k3-tiny.fatbin
	$(BUILD)/bin/k3-run $(DEMO)/k3-tiny.fatbin \
	  --weights examples/models/k3-tiny \
	  --prompt "In the beginning" --max-new-tokens 64

test: build
	@cmake --build --preset $(PRESET) --target check-k3

format:
	@scripts/check-format.sh

clean:
	rm -rf build
