"""upb as a peer, host-built: its tables say what the schema says, and it reads and writes what the official library
does."""

import random
import subprocess

import pytest
from google.protobuf import descriptor_pb2

from base.repository import ROOT
from heapwire import firmware
from heapwire.schema import Schema, compile_proto
from study.bench import upb
from study.records.upb import Upb
from tests.common.built import OUT, host_programs
from tests.common.random_messages import fill
from tests.common.run import RISCV, checked

HERE = ROOT / "study" / "tests" / "firmware"
REFUSED = 3
ALL = pytest.mark.parametrize("engine", [engine.text for engine in Upb])
OLD, NEW = "test.Everything", "test3.Checked"


@pytest.fixture(scope="module")
def schema(everything) -> Schema:
    both = descriptor_pb2.FileDescriptorSet(
        file=[*everything.files.file, *compile_proto(HERE / "upb.proto").files.file]
    )
    return Schema(both, "both")


@pytest.fixture(scope="module")
def rewritten(schema):
    """Returns a function that has an engine read a message, and returns what it writes, or None."""
    out = OUT / "host" / "study-upb"
    described = upb.describe(schema, schema.type_names(), out / "types")
    programs = host_programs(HERE / "host", out, PROGRAMS="rewrite", UPB=upb.sources(), UPB_TYPES=described)

    def run(type_name: str, data: bytes, engine: str) -> bytes | None:
        result = subprocess.run([programs / "rewrite", type_name, engine], input=data, capture_output=True)
        assert result.returncode in (0, REFUSED), result.stdout[-500:] + result.stderr[-3000:]
        return result.stdout if result.returncode == 0 else None

    return run


def official(schema, type_name, data):
    """Returns what the library writes of a message. It keeps unknown fields, and sorts maps: upb has its own order of
    negative keys."""
    return schema.message_class(type_name).FromString(data).SerializePartialToString(deterministic=True)


@ALL
@pytest.mark.parametrize("type_name", [OLD, "test.Special", "test.Grouped", NEW])
def test_random_messages(schema, rewritten, type_name, engine):
    for seed in range(20):
        message = schema.message_class(type_name)()
        fill(message, random.Random(seed), depth=3)
        data = message.SerializePartialToString()
        found = rewritten(type_name, data, engine)
        assert official(schema, type_name, found) == official(schema, type_name, data), seed


@ALL
@pytest.mark.parametrize(
    "type_name, data",
    [
        ("test.Leaf", b""),
        (OLD, b"\xfa\x7f\x03abc\x28\x01"),  # a field that the schema does not know
        (
            OLD,
            b"\x82\x02\x08" + bytes(8) + b"\xf9\x01" + bytes(8) + b"\x9a\x02\x03\x01\x02\x03\x98\x02\x04",
        ),  # other packing
        (NEW, b"\x42\x02\x01\x02\x40\x03\x48\x04\x4a\x02\x05\x06"),
        (NEW, b"\x30\x07\x3a\x02\x07\x01"),  # numbers that an open enum does not have
        (NEW, b"\x6a\x02\x10\x01\x6a\x02\x08\x01\x6a\x04\x08\x01\x10\x01"),  # entries without a key, or twice
        (NEW, b"\x7a\x01a\x82\x01\x02\x08\x01\x82\x01\x02\x18\x05"),  # a oneof, set three times
    ],
)
def test_what_writers_may_write_otherwise(schema, rewritten, type_name, data, engine):
    assert rewritten(type_name, data, engine) == official(schema, type_name, data)


def test_a_number_that_a_closed_enum_lacks_is_an_unknown_field(schema, rewritten):
    number = schema.descriptor("test.Special").fields_by_name
    field = next(each for each in number.values() if each.enum_type and not each.is_repeated)
    data = bytes([field.number << 3]) + b"\x01"
    assert rewritten("test.Special", data, "upb") == official(schema, "test.Special", data) == data


def test_utf8_is_checked_where_the_schema_asks(rewritten):
    wrong = b"\x1a\x02\xc3\x28"
    found = {engine.text: rewritten(NEW, wrong, engine.text) for engine in Upb}
    assert found == {"upb": None, "upb-alias": None, "upb-nocheck": wrong}
    in_bytes = b"\x2a\x02\xc3\x28"
    assert rewritten(NEW, in_bytes, "upb") == in_bytes


@ALL
@pytest.mark.parametrize("data", [b"\x28", b"\x1a\x05abc", b"\x07", b"\x82\x01\x05\x08"])
def test_damaged_messages_are_refused(rewritten, data, engine):
    assert rewritten(NEW, data, engine) is None


def test_a_schema_that_upb_does_not_know_is_refused(tmp_path, everything):
    with pytest.raises(firmware.HeapwireError, match="upb refuses .*no such message"):
        upb.describe(everything, ["test.Nothing"], tmp_path)


def test_litex_s_own_cpu_needs_no_atomic_instructions(tmp_path):
    """Such a program would trap at the first message. For a core without them the compiler calls functions instead."""
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "soc.h").write_text("#define CONFIG_CPU_TYPE_VEXRISCV\n")
    makefile = ROOT / "study" / "firmware" / "libraries.mk"
    others = checked("make", "-s", "-f", makefile, f"UPB={upb.sources()}", "--eval=show:;@echo $(OTHERS)", "show")
    flags = "-march=rv32im -mabi=ilp32 --specs=picolibc.specs -O2 -std=c11 -c".split()
    folders = [word for folder in (tmp_path, *others.split()) for word in ("-isystem", folder)]
    checked(f"{RISCV}gcc", *flags, *folders, upb.PEER / "upb.c", "-o", tmp_path / "upb.o")
    undefined = checked(f"{RISCV}nm", "-u", tmp_path / "upb.o")
    assert "memcpy" in undefined and "__atomic" not in undefined and "__sync" not in undefined
