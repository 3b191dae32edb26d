"""Random messages through the whole SoC: driver, units, caches, DRAM, and software for the messages that units leave to
it.

The tests are a sample of tests/unit/test_fuzz.py, with the same generators and the same checks. `HEAPWIRE_CASE=...`
runs a kept case again, alone in its boot here, or there."""

import os
import random

import pytest
from google.protobuf import descriptor_pb2

from heapwire import batch
from heapwire import interface as interface_module
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.schema import Clear, Schema, compile_schema
from heapwire.simulation import parts
from tests.common.cases import AGAIN
from tests.common.managed import Case, Expected, random_data
from tests.common.schemas import random_schemas

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
BOOTS = 12 if FULL else 1
SCHEMAS, PER_CLASS = 12, 60 if FULL else 40
LONGEST = 1000
"""Bytes of the longest message. The simulated core takes long to finish the messages that units leave."""
LEFT = {"UNSUPPORTED": "declined", "MISSING_REQUIRED": "incomplete"}
"""Classes of messages that units leave to software, by status, however the message was made. The other classes contain
none of these."""
MADE = {"declined": "wild", "incomplete": "damaged"}
"""The kind of message to generate for such a class."""
ACCEPTED = {"tame": (1, 1), "wild": (1, 1), "damaged": (0.05, 0.6), "declined": (0.3, 1), "incomplete": (0, 0.2)}
"""The smallest and the largest share of each class that is accepted in the end."""
CLEAR = (Clear.ALL, Clear.REFERENCES, Clear.UNASKED)
MODEL_ARENA = 1 << 20


class Sample:
    """Messages of random schemas, equally many of each class, and their answers from one boot."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.schema, self.clear = random_schemas(dice, SCHEMAS), CLEAR[seed % len(CLEAR)]
        self.cases = {name: [] for name in ACCEPTED}
        while wanted := [name for name, cases in self.cases.items() if len(cases) < PER_CLASS]:
            kind, name = dice.choice([MADE.get(name, name) for name in wanted]), dice.choice(self.schema.type_names())
            data = random_data(dice, self.schema, name, kind, depth=dice.choice([1, 1, 2, 3]))
            cases = self.cases[LEFT.get(Expected(self.schema, name, data).status, kind)]
            if len(cases) < PER_CLASS and len(data) <= LONGEST:
                cases.append(
                    Case(name, data, (), (), self._files(name), cases is self.cases["tame"], clear=self.clear.value)
                )
        every = [case for cases in self.cases.values() for case in cases]
        dice.shuffle(every)
        answers = batch.run(self.schema, [(case.type, case.data) for case in every], clear=self.clear)
        self.answers = dict(zip(map(id, every), answers))

    def _files(self, name: str) -> bytes:
        """Returns the file that has a type. It needs no other file."""
        package = self.schema.descriptor(name).file.package
        return descriptor_pb2.FileDescriptorSet(
            file=[file for file in self.schema.files.file if file.package == package]
        ).SerializeToString()


@pytest.fixture(scope="module", params=range(BOOTS))
def sample(request):
    if AGAIN:
        pytest.skip("one case alone")
    return Sample(request.param)


def by_software(schema: Schema, case: Case, clear: Clear) -> tuple[str, int]:
    """Returns the status and offset of the software that finishes the message."""
    interface = interface_module.load(parts().gen / "heapwire.json")
    compiled = compile_schema([schema.descriptor(name) for name in schema.type_names()], interface, clear)
    arenas = (
        Region(name, base, bytearray(MODEL_ARENA)) for name, base in (("fixed", 0x4800_0000), ("flexible", 0x4C00_0000))
    )
    outcome = Deserializer(model_runtime(interface, compiled, 0x4200_0040, 0x4000_1000), *arenas).run(
        case.data, compiled.index(case.type)
    )
    return outcome.status, outcome.offset


def check(case: Case, answer: batch.Answer) -> None:
    """Checks status and offset against the reference, the verdict of the official library, and its message against the
    returned bytes. Software has to take part exactly where the unit has to leave the message to it."""
    schema = case.files
    expected = Expected(schema, case.type, case.data)
    status = expected.status, 0 if expected.status == "OK" else expected.offset
    if expected.left:
        status = by_software(schema, case, Clear(case.clear))
    assert (answer.deserialize, answer.offset) == status, (
        f"deserialized: {answer.deserialize} at {answer.offset}, not {status}"
    )
    assert answer.fallbacks == int(expected.left), f"software was asked {answer.fallbacks} times"
    expected.check_accepted(status[0])
    if status[0] == "OK" and expected.comparable:
        if expected.left and answer.serialize == "MISSING_REQUIRED":
            return  # an entry of a map that a later one replaces is written too, and lacks a required field
        assert answer.serialize == "OK", f"serialized: {answer.serialize}"
        expected.check_written(answer.serialized, case.tame)


def fault(case: Case, answer: batch.Answer) -> str | None:
    try:
        check(case, answer)
    except AssertionError as error:
        return f"{case.type} {case.data.hex()}: {error}\nHEAPWIRE_CASE={case.keep()} tests/run soc unit"
    return None


@pytest.mark.parametrize("kind", ACCEPTED)
def test_messages(sample, kind):
    cases = sample.cases[kind]
    faults = [text for text in (fault(case, sample.answers[id(case)]) for case in cases) if text]
    assert not faults, "\n".join([f"{len(faults)} of {len(cases)} differ", *faults[:5]])
    share, (least, most) = (
        sum(sample.answers[id(case)].deserialize == "OK" for case in cases) / PER_CLASS,
        ACCEPTED[kind],
    )
    assert least <= share <= most, share
    unwritten = sum(sample.answers[id(case)].serialize == "MISSING_REQUIRED" for case in cases)
    assert unwritten <= PER_CLASS // 20, f"{unwritten} were read and could not be written"


@pytest.mark.skipif(not Case.again(), reason="HEAPWIRE_CASE names no such case")
def test_a_kept_case():
    case = Case.kept(AGAIN)
    if case.max_depth:
        pytest.skip("its depth is limited, which the SoC's batch does not do: it runs in tests/unit alone")
    (answer,) = batch.run(case.files, [(case.type, case.data)], clear=Clear(case.clear))
    check(case, answer)
