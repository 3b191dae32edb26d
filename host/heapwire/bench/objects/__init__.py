"""Object graphs for the suites of serializers: made here, preloaded into the machine, built there (firmware/programs/bench/objects.h)."""
