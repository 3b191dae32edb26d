"""Object graphs for the suites of serializers. They are made here, preloaded into the machine's memory, and built by
the machine (study/firmware/programs/bench/objects.h)."""
