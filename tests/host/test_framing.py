"""Files that are no encoded message: the error says what they look like."""

import base64
import bz2
import gzip
import json
import lzma

import pytest
from google.protobuf import json_format, text_format

from heapwire.framing import doubt, hint
from heapwire.machine import parsed
from heapwire.workload.case import Case
from heapwire.workload.messages import demo_cases
from tests.common.fixtures import refused

SCHEMA, CASES = demo_cases()
TYPE, DATA = CASES[0].type_name, CASES[0].data
KIND = SCHEMA.message_class(TYPE)
MESSAGE = KIND.FromString(DATA)


def varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


MERGED = DATA * 3  # whose length is no key of a field that ends
LENGTH = len(DATA).to_bytes(4, "big")
FILES = {
    "compressed .gzip.: gunzip": gzip.compress(DATA),
    "compressed .xz.: unxz": lzma.compress(DATA),
    "compressed .bzip2.: bunzip2": bz2.compress(DATA),
    "length-delimited messages .*, 3 of them: take one": (varint(len(MERGED)) + MERGED) * 3,
    "length-delimited messages .*, 1 of them": varint(len(MERGED)) + MERGED,
    "gRPC frames .*, 2 of them: take one": (b"\0" + LENGTH + DATA) * 2,
    "4 bytes of length before each, 1 of them": LENGTH + DATA,
    "hexadecimal digits: xxd -r -p": DATA.hex(" ").encode() + b"\n",
    "base64: base64 -d": base64.encodebytes(DATA),
    "JSON: ": json_format.MessageToJson(MESSAGE).encode(),
    "text: protoc --encode": text_format.MessageToString(MESSAGE).encode(),
    "a file holds one encoded message": DATA[:-1],
}


@pytest.mark.parametrize("told", FILES)
def test_a_refused_file_is_told_by_its_looks(told):
    with refused(f"the official library refuses it as {TYPE}.*{told}"):
        parsed(SCHEMA, Case("file", TYPE, FILES[told]))


@pytest.mark.parametrize("data", [b"", b"\0", b"\0" * 9, b"\xff" * 40, b"\x80" * 40])
def test_nothing_is_made_of_nothing(data):
    assert hint(data, KIND) == "a file holds one encoded message, as bytes"


def test_a_json_list_is_json():
    assert "JSON" in hint(json.dumps([1, 2]).encode(), KIND)


def test_a_file_of_messages_that_is_taken_for_one_is_doubted():
    """Its first length is read as the key of an unknown field."""
    several = (varint(len(DATA)) + DATA) * 3
    assert "length-delimited messages" in doubt(several, parsed(SCHEMA, Case("file", TYPE, several)))
    unknown = DATA + b"\xf8\x7f\x01"
    assert doubt(unknown, parsed(SCHEMA, Case("file", TYPE, unknown))) == doubt(DATA, MESSAGE) == ""


def test_long_gaps_in_a_text_cost_no_more_than_letters():
    """A pattern that tried each gap in two ways would take hours."""
    assert "text" in hint(b"AAAA" + b" " * 500_000 + b"!", KIND)
