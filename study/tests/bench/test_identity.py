"""The identity of runs depends on the machine, the program and the workload, and on nothing else."""

import struct

import pytest

from base.errors import HeapwireError
from heapwire.simulation import Parts
from study.bench import identity


def elf(*segments, debug=b""):
    """Returns an ELF file with these segments, and with data behind them that are not loaded."""
    head = b"\x7fELF\x01" + bytes(23) + struct.pack("<I10xHH", 52, 32, len(segments)) + bytes(6)
    at, headers, contents = 52 + 32 * len(segments), b"", b""
    for address, content in segments:
        headers += struct.pack("<8I", 1, at + len(contents), address, address, len(content), len(content), 5, 4)
        contents += content
    return head[:52].ljust(52, b"\0") + headers + contents + debug


FILES = """gen/HeapwireCluster.v soc/heapwire_soc.v soc/heapwire_soc_rom.init sim/dram_model.v
    sim/harness/main.cpp""".split()


@pytest.fixture
def machine(tmp_path):
    """Returns the files of a machine, and the root of a repository with those of the simulator."""
    parts = Parts("default", 128, tmp_path / "gen", tmp_path / "soc", tmp_path)
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file)
    (tmp_path / "image.elf").write_bytes(elf((0x4000_0000, b"program")))
    return parts, tmp_path


def test_what_an_elf_file_loads():
    assert identity.segments(elf((0x4000_0000, b"code"), (0x4100_0000, b"more"), debug=b"names")) == [
        (0x4000_0000, b"code"),
        (0x4100_0000, b"more"),
    ]
    with pytest.raises(HeapwireError):
        identity.segments(b"raw bytes" * 9)


@pytest.mark.parametrize("file", FILES)
def test_another_machine_has_another_key(machine, file):
    parts, root = machine
    before = identity.identity(root / "image.elf", parts, [(64, b"message")], root)
    assert identity.identity(root / "image.elf", parts, [(64, b"message")], root) == before
    (root / file).write_text("changed")
    assert identity.identity(root / "image.elf", parts, [(64, b"message")], root) != before


def test_neither_a_commit_nor_a_comment_that_moves_a_line_of_scala_counts(machine):
    parts, root = machine

    def key(text):
        (root / "gen" / "HeapwireCluster.v").write_text(text)
        return identity.identity(root / "image.elf", parts, [], root)

    heads = ("// Git hash  : 1\n", "// Git hash  : 2\n", "")
    assert len({key(f"{head}module a") for head in heads}) == 1
    before = key("wire when_Unit_l9;\nwire _zz_when_Unit_l12_1;\nassert(when_Unit_l9); // Unit.scala:L9\n")
    assert key("wire when_Unit_l10;\nwire _zz_when_Unit_l13_1;\nassert(when_Unit_l10); // Unit.scala:L10\n") == before
    other = key("wire when_Unit_l9;\nwire _zz_when_Unit_l12_1;\nassert(_zz_when_Unit_l12_1); // Unit.scala:L9\n")
    assert other != before


def test_another_program_or_workload_has_another_key_and_debug_information_has_not(machine):
    parts, root = machine
    keys = {
        identity.identity(root / "image.elf", parts, loads, root)
        for loads in ([], [(64, b"a")], [(65, b"a")], [(64, b"b")], [(64, b"a"), (80, b"")])
    }
    assert len(keys) == 5
    before = identity.identity(root / "image.elf", parts, [], root)
    (root / "image.elf").write_bytes(elf((0x4000_0000, b"program"), debug=b"a comment moved a line"))
    assert identity.identity(root / "image.elf", parts, [], root) == before
    (root / "image.elf").write_bytes(elf((0x4000_0000, b"another")))
    assert identity.identity(root / "image.elf", parts, [], root) != before


def test_a_cpu_of_litex_counts_in_the_place_of_the_cluster(machine):
    parts, root = machine
    (root / "soc" / "cpu.v").write_text("VexRiscv")
    assert [file.name for file in identity.hardware(parts, root)][:2] == ["cpu.v", "heapwire_soc.v"]
