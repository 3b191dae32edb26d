"""Programs that shuffle, on a simulated SoC with a host process (ASan, UBSan), and on several SoCs. The results are
those of a plain computation."""

import signal

import pytest

from base.errors import HeapwireError
from study.shuffle import QUERIES, SPARK
from study.shuffle import demo as skyway

SMALL = skyway.Sizes(words=30, vertices=6, orders=6)


def heard(text):
    """Ignores progress."""


def check(done, serializers, programs):
    assert [(each.program, each.serializer) for each in done] == [
        (program, serializer) for program in programs for serializer in serializers
    ]
    assert [each.problem for each in done] == [None] * len(done)
    for each in done:
        assert each.bytes > 0 and each.phases > 0 and each.transfer > 0 and each.conversion > 0 and each.computation > 0
        assert each.cycles == each.computation + each.collection + each.transfer + each.conversion


@pytest.mark.full
@pytest.mark.parametrize("programs", [tuple(SPARK), tuple(QUERIES)])
def test_with_a_process_of_the_host(programs):
    check(skyway.run(["skyway-sw"], heard, SMALL, host=True, programs=programs), ["skyway-sw"], programs)


@pytest.mark.full
@pytest.mark.parametrize("programs", [tuple(SPARK), tuple(QUERIES)])
def test_two_socs(programs):
    serializers = ["skyway-sw", "kryo-manual", "kryo-generic", "java", "cereal-sw"]
    check(skyway.run(serializers, heard, skyway.Sizes(60, 12, 12), programs=programs), serializers, programs)


@pytest.mark.full
def test_a_broadcast_among_several_socs():
    serializers, medium = ["skyway-sw", "kryo-manual"], skyway.Medium(3)
    done = skyway.run(serializers, heard, skyway.Sizes(objects=1), programs=["jsbs"], medium=medium)
    assert [(each.serializer, each.problem, each.machines) for each in done] == [
        (name, None, 3) for name in serializers
    ]
    assert all(each.serialize > 0 and each.deserialize > 0 and each.transfer > 0 for each in done)


@pytest.mark.full
@pytest.mark.parametrize(
    "host, number, sent, silence, told",
    [
        (False, 1, signal.SIGKILL, 600, "machine 1 failed: the simulator ended with -9"),
        (False, 0, signal.SIGTERM, 600, "machine 0 ended with interrupted"),
        (False, 1, signal.SIGSTOP, 3, "nothing was heard for 3 seconds; still going: machine 0 and machine 1$"),
        (True, 1, signal.SIGKILL, 600, "the host's machine was ended by SIGKILL"),
        (True, 0, signal.SIGKILL, 600, "machine 0 failed: the simulator ended with -9"),
        (True, 1, signal.SIGSTOP, 3, "nothing was heard for 3 seconds; still going: machine 0 and the host's machine$"),
    ],
)
def test_the_machine_that_fails_is_named(host, number, sent, silence, told, monkeypatch):
    """If no machine says anything, that is reported instead. No process is left."""
    seen, hear = [], skyway.Listener.hear

    def strike(listener, machines):
        if not seen:
            seen.extend(machines)
            machines[number].process.send_signal(sent)
        hear(listener, machines)

    monkeypatch.setattr(skyway.Listener, "hear", strike)
    with pytest.raises(HeapwireError, match=f"^{told}"):
        skyway.run(["skyway-sw"], heard, SMALL, host=host, silence=silence)
    assert len(seen) == 2 and all(machine.process.returncode is not None for machine in seen)
