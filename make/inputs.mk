# Variables that are rarely needed. UNIT_CLOCK: the units run at the system's clock divided by 1 or 2; a real board has
# its own divider. TRAIN: if it is empty, the simulator is built without training, in half the time, and is slower.
# NOISE: any value makes the simulator's memories return noise where a read meets a write, as FPGAs may. CLASS_LIST: a
# list of Java classes of one's own; CLASS_PATH: the folders and jars that hold them, with `:` between them. CACHE:
# downloads and tools. VENV: the Python environment.
UNIT_CLOCK ?= 1
TRAIN      ?= 1
NOISE      ?=
CLASS_LIST ?=
CLASS_PATH ?=
CACHE      ?= .cache
VENV       ?= .venv

# Checks the values of variables before anything is set up or built. The lists of valid values are read from the files
# that use them.

# The expression is in a variable, because make would count its parentheses in a function call.
config_name    := (ClusterConfig\(|name = )"([a-z0-9-]+)"
configurations := $(shell sed -nE '/^object ClusterConfig/,$$s/.*$(config_name).*/\2/p' accel/src/heapwire/core/ClusterConfig.scala)
one_of = $(if $(and $(filter 1,$(words $($(1)))),$(filter $(2),$($(1)))),,$(error no $(3) '$($(1))'; there are: $(2)))

# The shell reads these variables between double quotes, where it would expand these characters.
of_the_shell := \ ` " $$
$(foreach name,SRC PROTO TYPE DATA ELF BOARD DEVICE SUITE LIKE CLASS_LIST CLASS_PATH,$(if $(filter command environment,$(word 1,$(origin $(name)))),$(foreach each,$(of_the_shell),$(if $(findstring $(each),$(value $(name))),$(error $(name): $(each) must not be in it. What to do: another file name)))))

# The shell reads the name of the configuration.
$(if $(findstring ',$(CONFIG)),$(error no configuration $(CONFIG)))
# Parameters may follow a configuration's name. The generator says which configuration has which.
config_base    := $(shell echo '$(CONFIG)' | sed -E 's/(-x[1-9][0-9]*)?(-e[1-9][0-9]*)?(-k[1-9][0-9]*)?(-l[1-9][0-9]*)?$$//')
$(if $(and $(filter 1,$(words $(CONFIG))),$(filter $(configurations),$(config_base))),,$(error no configuration '$(CONFIG)'; there are: $(configurations) (and parameters: -xN units, -eN entries, -kN KB of shared cache, -lN cycles of added latency)))
$(call one_of,DATA_WIDTH,32 64 128,width of the memory port)
$(call one_of,UNIT_CLOCK,1 2,divider of the units' clock)

# `make demo` reads and writes messages of protobuf.
$(if $(filter demo,$(MAKECMDGOALS)),$(if $(LIKE),,$(if $(filter bare cereal cereal-vanilla skyway,$(config_base)),$(error demo: CONFIG=$(CONFIG) has no engine for protobuf. What to do: another CONFIG, or make demo-skyway CONFIG=$(CONFIG)))))
