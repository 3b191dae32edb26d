"""Rows that were measured before: found again for the same machine, program and workload, and for nothing else."""
import json
import struct

import pytest

from heapwire.bench import cache, run
from heapwire.errors import HeapwireError
from heapwire.simulation import Parts

ROW = {"suite": "s", "case": "s/1", "op": "read", "engine": "hw", "model": "managed", "cycles": 5, "ok": True}


def elf(*segments, debug=b""):
    """An ELF file with these segments, and something behind them that is not loaded."""
    head = b"\x7fELF\x01" + bytes(23) + struct.pack("<I10xHH", 52, 32, len(segments)) + bytes(6)
    at, headers, contents = 52 + 32 * len(segments), b"", b""
    for address, content in segments:
        headers += struct.pack("<8I", 1, at + len(contents), address, address, len(content), len(content), 5, 4)
        contents += content
    return head[:52].ljust(52, b"\0") + headers + contents + debug


@pytest.fixture
def machine(tmp_path):
    """A machine's files, and the root of a repository with the simulator's."""
    parts = Parts("default", 128, tmp_path / "gen", tmp_path / "soc", tmp_path)
    for file in ("gen/HeapwireCluster.v", "soc/heapwire_soc.v", "soc/heapwire_soc_rom.init", "sim/dram_model.v", "sim/harness/main.cpp"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file)
    (tmp_path / "image.elf").write_bytes(elf((0x4000_0000, b"program")))
    return parts, tmp_path


def test_what_an_elf_file_loads():
    assert cache.segments(elf((0x4000_0000, b"code"), (0x4100_0000, b"more"), debug=b"names")) == [(0x4000_0000, b"code"), (0x4100_0000, b"more")]
    with pytest.raises(HeapwireError):
        cache.segments(b"raw bytes" * 9)


@pytest.mark.parametrize("file", ["gen/HeapwireCluster.v", "soc/heapwire_soc.v", "soc/heapwire_soc_rom.init", "sim/dram_model.v", "sim/harness/main.cpp"])
def test_another_machine_has_another_key(machine, file):
    parts, root = machine
    before = cache.key(parts, root / "image.elf", [(64, b"message")], root)
    assert cache.key(parts, root / "image.elf", [(64, b"message")], root) == before
    (root / file).write_text("changed")
    assert cache.key(parts, root / "image.elf", [(64, b"message")], root) != before


def test_the_commit_of_the_verilog_does_not_count(machine):
    parts, root = machine
    keys = set()
    for text in ("// Git hash  : 1\nmodule a", "// Git hash  : 2\nmodule a", "module a"):
        (root / "gen" / "HeapwireCluster.v").write_text(text)
        keys.add(cache.key(parts, root / "image.elf", [], root))
    assert len(keys) == 1


def test_another_program_or_workload_has_another_key_and_debug_information_has_not(machine):
    parts, root = machine
    keys = {cache.key(parts, root / "image.elf", loads, root) for loads in ([], [(64, b"a")], [(65, b"a")], [(64, b"b")], [(64, b"a"), (80, b"")])}
    assert len(keys) == 5
    before = cache.key(parts, root / "image.elf", [], root)
    (root / "image.elf").write_bytes(elf((0x4000_0000, b"program"), debug=b"a comment moved a line"))
    assert cache.key(parts, root / "image.elf", [], root) == before
    (root / "image.elf").write_bytes(elf((0x4000_0000, b"another")))
    assert cache.key(parts, root / "image.elf", [], root) != before


def test_a_cpu_of_litex_counts_in_the_place_of_the_cluster(machine):
    parts, root = machine
    (root / "soc" / "cpu.v").write_text("VexRiscv")
    assert [file.name for file in cache.hardware(parts, root)][:2] == ["cpu.v", "heapwire_soc.v"]


def test_wrong_rows_are_not_kept_and_damaged_files_are_not_believed(tmp_path):
    cache.keep("wrong", [ROW, ROW | {"ok": False}], tmp_path)
    cache.keep("none", [], tmp_path)
    assert list(tmp_path.iterdir()) == []
    cache.keep("right", [ROW], tmp_path)
    assert cache.find("right", tmp_path) == [ROW] and cache.find("other", tmp_path) is None
    (tmp_path / "right.jsonl").write_text(json.dumps(ROW) + '\n{"suite": "s"')
    assert cache.find("right", tmp_path) is None


def test_an_image_that_was_run_is_not_run_again(machine, monkeypatch):
    parts, root = machine
    ran = []

    def lines_of(image, parts, loads):
        ran.append(loads)
        yield json.dumps(ROW)

    monkeypatch.setattr(run, "lines_of", lines_of)
    monkeypatch.setattr(cache, "FOLDER", root / "cache")
    for content in (b"a", b"a", b"b"):
        job = run.Job("s", lambda: root / "image.elf", lambda content=content: [(64, content)])
        assert run.rows_of([job], parts, lambda text: None) == [ROW]
    assert ran == [[(64, b"a")], [(64, b"b")]]
