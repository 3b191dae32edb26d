"""What the engine's cycles are for."""

import pytest

from heapwire import interface
from heapwire.measure.messages import demo_group
from study.profile.cycles import ABSENT, ACTIVITIES, Listing, Profiler, attribute

LISTING = Listing("0\tbegin\tfirst\n4\t\thelper\n6\tstrings\tsecond\n")


def test_a_cycle_counts_for_what_runs_what_ran_before_or_what_comes_next():
    trace = ["0 0 program 3 -", "0 0 memory 5 -", "1 0 look-up -1 -", "1 1 dispatch 6 -", "1 0 program 4 -"]
    read = attribute([line.split() for line in trace], LISTING)
    strings = {("strings", activity): 1 for activity in ("look-up", "dispatch", "program")}
    assert read.cycles == {("begin", "program"): 1, ("begin", "memory"): 1, **strings}
    assert read.events == {"begin": 0, "strings": 1}


def test_what_the_scanner_leaves_out_is_absent():
    trace = ["1 0 look-up -1 -", "1 0 scan -1 -", "1 0 look-up -1 -", "1 0 scan -1 -", "1 1 scan -1 scalars"]
    trace += ["1 0 look-up -1 -", "1 1 dispatch 6 -"]
    written = attribute([line.split() for line in trace], LISTING)
    assert {kind: written.of(kind) for kind, _ in written.cycles} == {ABSENT: 2, "scalars": 3, "strings": 2}


@pytest.fixture(scope="module")
def profiler():
    return Profiler(interface.load())


def strings_of(message) -> int:
    """Returns how many strings the message and those in it have."""
    values = [(field, value if field.is_repeated else [value]) for field, value in message.ListFields()]
    strings = sum(len(value) for field, value in values if field.cpp_type == field.CPPTYPE_STRING)
    messages = [m for field, value in values if field.cpp_type == field.CPPTYPE_MESSAGE for m in value]
    return strings + sum(map(strings_of, messages))


def test_every_cycle_has_a_kind(profiler):
    """The profiler checks that it misses no cycle of a command."""
    group = demo_group()
    for case, (name, read, written) in zip(group.cases, profiler.profiles(group), strict=True):
        if "MediaContent" in name:  # has no map
            assert read.events["strings"] == strings_of(
                group.schema.message_class(case.type_name).FromString(case.data)
            )
        for profile in (read, written):
            known = {*profiler.listing.names, ABSENT, "scalars"} - {"", "faults", "field instructions"}
            assert {kind for kind, _ in profile.cycles} <= known, name
            assert {activity for _, activity in profile.cycles} <= {*ACTIVITIES}, name
        assert read.of("command begins", "program") > 10 and not read.of(activity="scan"), name
        assert written.of("command ends", "writes") and not written.of(activity="step"), name
