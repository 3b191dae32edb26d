"""Programs that shuffle, on a simulated SoC with a process of the host (ASan, UBSan), and on two: results as a plain computation has them."""
import pytest

from heapwire.demo import skyway
from heapwire.shuffle import PROGRAMS


def heard(text):
    """Progress, of which nothing is made."""


def check(done, serializers):
    assert [(each.program, each.serializer) for each in done] == [(program, serializer) for program in PROGRAMS for serializer in serializers]
    assert [each.problem for each in done] == [None] * len(done)
    for each in done:
        assert each.bytes > 0 and each.phases > 0 and each.transfer > 0 and each.conversion > 0 and each.computation > 0
        assert each.cycles == each.computation + each.collection + each.transfer + each.conversion


@pytest.mark.full
def test_with_a_process_of_the_host():
    check(skyway.run(["skyway-sw"], heard, words=30, vertices=6, host=True), ["skyway-sw"])


@pytest.mark.full
def test_two_socs():
    serializers = ["skyway-sw", "kryo-manual", "kryo-generic", "java", "cereal-sw"]
    check(skyway.run(serializers, heard, words=60, vertices=12), serializers)
