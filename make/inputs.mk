# Checks the values of variables before anything is set up or built. The lists of valid values are read from the files
# that use them.

# The expression is in a variable, because make would count its parentheses in a function call.
config_name    := (ClusterConfig\(|name = )"([a-z0-9-]+)"
configurations := $(shell sed -nE '/^object ClusterConfig/,$$s/.*$(config_name).*/\2/p' accel/src/heapwire/core/ClusterConfig.scala)
one_of = $(if $(and $(filter 1,$(words $($(1)))),$(filter $(2),$($(1)))),,$(error no $(3) '$($(1))'; there are: $(2)))

# Parameters may follow a configuration's name. The generator says which configuration has which.
config_base    := $(shell echo '$(CONFIG)' | sed -E 's/(-x[1-9][0-9]*)?(-e[1-9][0-9]*)?(-k[1-9][0-9]*)?(-l[1-9][0-9]*)?$$//')
$(if $(and $(filter 1,$(words $(CONFIG))),$(filter $(configurations),$(config_base))),,$(error no configuration '$(CONFIG)'; there are: $(configurations) (and parameters: -xN units, -eN entries, -kN KB of shared cache, -lN cycles of added latency)))
$(call one_of,DATA_WIDTH,32 64 128,width of the memory port)
$(call one_of,UNIT_CLOCK,1 2,divider of the units' clock)

# The variables of demo-skyway; the program checks them again (host/heapwire/demo/skyway.py).
serializers = $(shell sed -nE 's/^ *\{\.name = "([a-z-]+)".*/\1/p' firmware/programs/shuffle/serializers.c)
most        = $(shell sed -nE 's/^$(1), MOST_$(1) = [0-9]+, ([0-9]+)$$/\1/p' host/heapwire/shuffle/choices.py)
size        = $(if $($(1)),$(if $(and $(filter 1,$(words $($(1)))),$(filter $(shell seq $(most)),$($(1)))),,$(error $(1)='$($(1))': 1 to $(most))))

.PHONY: known-demo-skyway
known-demo-skyway:
	@$(if $(SECOND),$(call one_of,SECOND,host,second machine))
	@$(if $(filter-out $(serializers),$(SERIALIZERS)),$(error no serializer $(filter-out $(serializers),$(SERIALIZERS)); there are: $(serializers)))
	@$(call size,WORDS)$(call size,VERTICES)
