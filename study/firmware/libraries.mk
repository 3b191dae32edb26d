# The study's libraries beside the machine's: the serializers of a JVM, upb, and programs that shuffle by any serializer.
# UPB is the folder of upb's sources, UPB_TYPES that of its tables of a schema (study/bench/upb.py makes them).
STUDY := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
SEARCHED := $(STUDY:/=)
RECORDS  := study.records
include $(STUDY)../../firmware/libraries.mk
$(call library,peers,,java,$(wildcard $(addprefix $(STUDY)peers/,java/*.c kryo/*.c objects/*.c)))
ifneq ($(UPB),)
$(call library,upb,,runtime,$(wildcard $(STUDY)peers/upb/*.c) $(UPB_TYPES)/upb_types.c)
OTHERS := $(STUDY)peers/upb/settings $(UPB) $(UPB)/utf8_range
endif
$(call library,serializers,,peers skyway cereal,$(STUDY)programs/serializers/serializers.c)
$(call library,shuffling,,serializers,$(wildcard $(addprefix $(STUDY)programs/shuffle/,*.c queries/*.c)))
# Skyway is linked behind them, and their table behind all.
libraries := $(filter-out skyway packet line serializers,$(libraries)) skyway packet line serializers
