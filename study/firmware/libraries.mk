# The study's libraries beside the machine's: the serializers of a JVM, and programs that shuffle by any serializer.
STUDY := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
SEARCHED := $(STUDY:/=)
RECORDS  := study.records
include $(STUDY)../../firmware/libraries.mk
$(call library,peers,,java,$(wildcard $(STUDY)peers/*/*.c))
$(call library,serializers,,peers skyway cereal,$(STUDY)programs/serializers/serializers.c)
$(call library,shuffling,,serializers,$(wildcard $(addprefix $(STUDY)programs/shuffle/,*.c queries/*.c)))
# Skyway is linked behind them, and their table behind all.
libraries := $(filter-out skyway packet line serializers,$(libraries)) skyway packet line serializers
