"""Kept rows are used for the same run, and for no other."""

import json
import zlib

import pytest

from heapwire.simulation import Parts
from study.bench import built, cereal, images, kept, serializers, skyway
from study.bench.objects import workload


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Returns a machine, and an image with a word in it that identifies runs (test_bench_identity.py tests real
    identities)."""

    def identity(image, parts, loads):
        return f"{zlib.crc32(repr((image.read_text(), loads)).encode()):016x}"

    monkeypatch.setattr(images, "identity", identity)
    (tmp_path / "image.elf").write_text("an image")
    build = tmp_path / "build"
    return Parts("cereal", 128, build / "gen" / "cereal-128", build / "soc" / "cereal-128", tmp_path)


def test_kept_rows(tmp_path):
    folder = kept.Kept(tmp_path / "kept")
    assert folder.find("cereal: small by units", "a") is None
    folder.keep("cereal: small by units", "a", [{"cycles": 1}])
    folder.keep("cereal: tree/1 by software", "b", [])
    assert folder.find("cereal: small by units", "a") == [{"cycles": 1}]
    assert folder.find("cereal: tree/1 by software", "b") == []
    assert folder.find("cereal: small by units", "b") is None
    folder.keep("cereal: small by units", "c", [{"cycles": 2}])
    assert [folder.find("cereal: small by units", mark) for mark in "ac"] == [[{"cycles": 1}], [{"cycles": 2}]]
    for damaged in ("", "{", "[]", json.dumps({"identity": "a"})):
        (tmp_path / "kept" / "cereal_small_by_units-a.json").write_text(damaged)
        assert folder.find("cereal: small by units", "a") is None


def test_a_run_is_not_repeated_unless_it_changed_or_was_wrong(machine, tmp_path, monkeypatch):
    ran, words, ok = [], [b"one"], [True]

    def lines_of(image, parts, loads):
        ran.append(loads)
        yield json.dumps({"case": "c", "op": "o", "engine": "e", "cycles": len(ran), "ok": ok[0]})

    monkeypatch.setattr(images, "lines_of", lines_of)
    monkeypatch.setattr(images, "revision", lambda: f"revision{len(ran)}")
    folder = kept.Kept(tmp_path / "kept")
    job = images.Job("a job", lambda: tmp_path / "image.elf", lambda: [(0, words[0])], 1, machine)

    def cycles():
        (found,) = images.rows_of([job], None, lambda text: None, folder)
        # The revision is that of the measurement, not that of the tree that reads kept rows.
        assert found["config"] == "cereal" and found["revision"] == f"revision{found['cycles']}"
        return found["cycles"]

    assert [cycles(), cycles()] == [1, 1]
    words[0] = b"two"
    assert [cycles(), cycles()] == [2, 2]
    (tmp_path / "image.elf").write_text("changed")
    ok[0] = False
    assert [cycles(), cycles()] == [3, 4]
    (tmp_path / "image.elf").write_text("an image")
    assert cycles() == 2


def test_both_suites_measure_peers_by_the_same_runs(monkeypatch, tmp_path):
    """So each suite can use the rows that the other has measured."""
    seen = []
    monkeypatch.setattr(serializers, "_image", lambda machine, out, layout: tmp_path / f"{machine.config}{layout}.elf")
    monkeypatch.setattr(serializers.built, "image", lambda *_: tmp_path / "shuffle.elf")
    monkeypatch.setattr(serializers, "load_base", lambda interface: 0)
    monkeypatch.setattr(serializers, "jump_to", lambda interface, layout: (0, b""))
    monkeypatch.setattr(serializers.interface_module, "load", lambda path: None)

    def pack(cases, klasses, flags):
        return repr([(case.graph.name, case.engines, case.warm, case.skyway) for case in cases] + [flags]).encode()

    monkeypatch.setattr(workload, "pack", pack)

    def rows_of(found, *_):
        seen[-1] |= {job.name: (job.image(), job.loads(), job.machine) for job in found}
        return []

    monkeypatch.setattr(serializers, "rows_of", rows_of)
    best = {(series.name, engine): 1 + i % 2 for i, series in enumerate(cereal.SERIES) for engine in cereal.SOFTWARE}
    monkeypatch.setattr(cereal, "favourites", lambda rows: best)
    for suite in ("cereal", "skyway"):
        seen.append({})
        serializers.MEASURES[suite](lambda text: None, 128, ())
    ours, theirs = seen
    shared = ours.keys() & theirs.keys()
    found, engines = cereal.groups(built.klasses()), cereal.MACHINES[cereal.FIRST]
    plan = [*cereal.runs(found, engines), *cereal.favourite_runs(found, engines, best)]
    assert shared == {f"{cereal.FIRST}: {group.name}" for group, _ in plan}
    assert ours[f"{cereal.FIRST}: tree-wide/4681 by software in layout 2"][0].name == f"{cereal.FIRST}2.elf"
    assert all(ours[name] == theirs[name] for name in shared)
    assert all(name.startswith(f"{skyway.CONFIG}: ") for name in theirs.keys() - shared)
