"""Limits of the software codec and of the driver of the field instructions, for any wire bytes and objects."""

import resource
import struct
import subprocess

import pytest

from base.repository import ROOT
from heapwire.plugin.generate import write_files
from heapwire.records import __main__ as records
from heapwire.schema import compile_proto, compile_schema


@pytest.fixture(scope="module")
def blob(tmp_path_factory, interface, limits):
    path = tmp_path_factory.mktemp("limits") / "blob"
    path.write_bytes(compile_schema(limits.descriptor("test.Node"), interface).blob)
    return path


def test_bounds_of_addresses_graphs_and_stacks(programs, blob):
    result = subprocess.run([programs / "limits", blob], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stdout + result.stderr


def read(programs, blob, message, flexible=1 << 20):
    """Returns status, offset, digest and used bytes of each arena; and seconds of processor time."""
    request = struct.pack("<5I", 0, 0, 4 << 20, flexible, len(message)) + message
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = subprocess.run([programs / "batch", blob], input=request, capture_output=True)
    assert result.returncode == 0, result.stderr
    return [int(word) for word in result.stdout.split()], resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def length_delimited(number, data):
    length = len(data)
    varint = bytes([length]) if length < 0x80 else bytes([length & 0x7F | 0x80, length >> 7])
    return bytes([number << 3 | 2]) + varint + data


def test_packed_fields_that_take_turns(programs, blob):
    """Copies of the lists take constant time for each element, not the square: an input of 6 KB and 4 MB of room."""
    turns = b"".join(length_delimited(number, b"\1") for _ in range(1000) for number in (3, 4))
    (status, _, value, _, flexible), _ = read(programs, blob, turns)
    assert status == 0 and flexible < 40_000
    runs = length_delimited(3, b"\1" * 1000) + length_delimited(4, b"\1" * 1000)
    (status, _, expected, _, flexible), _ = read(programs, blob, runs)
    assert (status, value, flexible) == (0, expected, 2 * (16 + 4 * 1000))


def test_packed_fields_that_take_turns_in_little_room(programs, blob):
    """No spare capacity is allocated if only the needed room fits."""
    turns = length_delimited(3, b"\1" * 8) + length_delimited(4, b"\1" * 8) + length_delimited(3, b"\1" * 2)
    for room, expected in ((3 * 16 + 32 + 32 + 64, 0), (3 * 16 + 32 + 32 + 40, 0), (3 * 16 + 32 + 32 + 32, 0x21)):
        (status, _, _, _, used), _ = read(programs, blob, turns, room)
        assert status == expected and used <= room


def test_packed_field_without_a_whole_number_in_no_room(programs, blob):
    """No element is counted then, and there is no array."""
    (status, offset, *_), _ = read(programs, blob, length_delimited(3, b"\x80" * 9), 32)
    assert (status, offset) == (0x10, 2)


@pytest.mark.parametrize(
    "number, key",
    [
        (5, lambda i: b"\x08" + struct.pack("BB", i & 0x7F | 0x80, i >> 7)),
        (6, lambda i: length_delimited(1, b"%05d" % (i * 7 % 12_000))),
    ],
)
def test_entries_that_are_replaced_later(programs, blob, number, key):
    """The time is that of a sort, not the square."""
    count = 12_000
    lacking = [length_delimited(number, key(i) + length_delimited(2, b"")) for i in range(count)]
    complete = [length_delimited(number, key(i) + length_delimited(2, b"\x08\1")) for i in range(count)]
    (status, *_), seconds = read(programs, blob, b"".join(lacking + complete), 4 << 20)
    assert status == 0 and seconds < 0.4
    message = b"".join(lacking + complete[1:])
    (status, offset, *_), _ = read(programs, blob, message, 4 << 20)
    assert (status, offset) == (0x18, len(message))
    message = b"".join(complete + lacking[-1:])
    (status, offset, *_), _ = read(programs, blob, message, 4 << 20)
    assert (status, offset) == (0x18, len(message))


@pytest.fixture(scope="module")
def compiler(interface, tmp_path_factory):
    """Returns the command that compiles the firmware."""
    folder = tmp_path_factory.mktemp("generated")
    records.main(str(folder / "records"))
    command = "riscv64-unknown-elf-gcc -march=rv32ima -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -O2 -std=c11"
    includes = [f"-I{each}" for each in (ROOT / "firmware", interface.path.resolve().parent, folder)]
    return [*command.split(), "-msmall-data-limit=8", *includes]


def frames(compiler, folder, sources):
    """Returns the bytes of the stack frames of the firmware's functions, as the firmware is compiled."""
    found = {}
    for source in sources:
        path = ROOT / "firmware" / f"{source}.c"  # a file of its own if `source` is an absolute path
        subprocess.run([*compiler, "-fstack-usage", "-c", path, "-o", folder / f"{path.stem}.o"], check=True)
        for line in (folder / f"{path.stem}.su").read_text().splitlines():
            name, size, kind = line.split("\t")
            assert kind == "static", line
            name = name.split(":")[-1].split(".")[0]
            found[name] = max(int(size), found.get(name, 0))
    return found


def constant(compiler, header, name):
    """Returns a number that a header defines, as the compiler expands it."""
    command = [*compiler, "-include", header, "-E", "-P", "-xc", "-"]
    return int(subprocess.check_output(command, input=name, text=True).split()[-1])


STACKS = {
    ("protobuf/codec/codec.h", "HW_PROTOBUF_CODEC_READ_STACK"): {
        ("protobuf/codec/deserialize", "protobuf/codec/wire", "runtime/initialized"): [
            "read_message read_field read_group",
            "protobuf_skip_value skip_group",
            "hw_message_initialized list_initialized map_initialized",
        ]
    },
    ("protobuf/codec/codec.h", "HW_PROTOBUF_CODEC_WRITE_STACK"): {
        ("protobuf/codec/serialize",): ["put_message put_list"]
    },
    ("runtime/accessors/view.h", "HW_MESSAGE_STACK"): {
        ("runtime/accessors/unknown",): ["initialized field_initialized"],
        ("runtime/accessors/copy",): ["merge merge_field merge_element merge_sub"],
        ("runtime/accessors/text",): ["put_message put_list put_value"],
    },
}
"""For each promise, its header and name: by their sources, the functions of each level that keeps to it."""


@pytest.mark.parametrize("promise", STACKS, ids=lambda promise: promise[1])
def test_stack_of_a_level_is_what_is_promised(compiler, tmp_path, promise):
    """Checks the recursive functions, from whose frames hw_stack_levels() computes its result."""
    limit = constant(compiler, *promise)
    for sources, levels in STACKS[promise].items():
        found = frames(compiler, tmp_path, sources)
        for level in levels:
            assert 0 < sum(found.get(name, 0) for name in level.split()) <= limit, level


@pytest.mark.parametrize("verb, level", [("same", "hw_maps_same sets_same"), ("hash", "hw_hash_map")])
def test_stack_of_a_level_of_comparisons(compiler, interface, everything, tmp_path, verb, level):
    """A level is a message's function, what compares maps, and an entry's function."""
    write_files(everything, tmp_path, interface)
    sources = [tmp_path / "everything.heapwire", "runtime/accessors/compare"]
    found = frames([*compiler, f"-I{tmp_path}"], tmp_path, sources)
    deepest = max(size for name, size in found.items() if name.endswith(f"_{verb}") and not name.startswith("hw_"))
    assert (
        0
        < 2 * deepest + sum(found.get(name, 0) for name in level.split())
        <= constant(compiler, "runtime/accessors/view.h", "HW_MESSAGE_STACK")
    )


def test_stack_of_a_level_of_generated_code(compiler, interface, everything, tmp_path):
    """A type of every kind of field, one with as many hasbits as generated code takes, and two that have more words."""
    limit = constant(compiler, "protobuf/fields/fields.h", "HW_FIELDS_STACK")
    wide = "".join(f"optional int32 f{i} = {i}; repeated string s{i} = {i + 1000};" for i in range(1, 250))
    many = "".join(f"optional int32 m{i} = {i}; " for i in range(1, 2000))
    (tmp_path / "wide.proto").write_text(
        f'syntax = "proto2"; message Wide {{ {wide} optional Wide wide = 2000; }}'
        f"message Many {{ {many} optional Many many = 2000; }}"
        + "".join(
            f"message Ones{count} {{ repeated Ones{count} subs = 1;"
            + "".join(f"oneof o{i} {{ int32 a{i} = {2 * i}; string b{i} = {2 * i + 1}; }}" for i in range(1, count))
            + "}"
            for count in (16, 400)
        )
    )
    write_files(compile_proto(tmp_path / "wide.proto"), tmp_path, interface)
    write_files(everything, tmp_path, interface)
    generated = [tmp_path / name for name in ("wide.fields", "everything.fields")]
    driver = [f"protobuf/fields/{name}" for name in ("read", "write")]
    found = frames([*compiler, f"-I{tmp_path}"], tmp_path, [*generated, *driver])
    for verb, level in (("read", "hw_fields_element enter"), ("write", "hw_fields_put_list hw_fields_put")):
        deepest = max(size for name, size in found.items() if name.startswith(f"{verb}_"))
        assert 0 < deepest + sum(found.get(name, 0) for name in level.split()) <= limit, verb
