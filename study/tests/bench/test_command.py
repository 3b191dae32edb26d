"""The study's command line."""

import pytest
from click.testing import CliRunner

from base.errors import HeapwireError
from heapwire.measure.rows import complete
from study import cli
from study.bench import run as bench_run
from study.bench import written


def invoke(*arguments):
    return CliRunner().invoke(cli.cli, list(map(str, arguments)), catch_exceptions=False)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["demo-skyway", "--words", "0"], "0 words: 1 to 20000"),
        (["demo-skyway", "--serializer", "kryo"], "no serializer kryo; there are java, kryo-generic"),
        (["bench", "memry"], "no suite memry. What to do: SUITE= some of memory core"),
    ],
)
def test_a_wrong_argument_is_told_without_a_machine(arguments, text, monkeypatch):
    """What make asks of a command before it builds anything."""
    monkeypatch.setattr("heapwire.interface.load", lambda *_: pytest.fail("it wants a machine"))
    with pytest.raises(HeapwireError, match=text):
        invoke(arguments[0], "--parse-only", *arguments[1:])


@pytest.mark.parametrize(
    "like, suite, text",
    [
        ("ulx3s", "cereal", "LIKE=ulx3s: cereal have machines of their own. What to do: name others"),
        ("ulx3s+stock", "memory", r"LIKE=ulx3s\+stock: LiteX's own CPU has no units. What to do: SUITE=core"),
    ],
)
def test_a_simulated_board_has_not_every_suite(like, suite, text, monkeypatch):
    monkeypatch.setenv("LIKE", like)
    with pytest.raises(HeapwireError, match=text):
        invoke("bench", "--parse-only", suite)


@pytest.mark.parametrize(
    "arguments",
    [["demo-skyway", "--host", "--words", "400", "--serializer", "java"], ["bench", "memory", "--one-layout"]],
)
def test_right_arguments_need_no_machine_to_be_looked_at(arguments, monkeypatch):
    monkeypatch.setattr("heapwire.interface.load", lambda *_: pytest.fail("it wants a machine"))
    assert invoke(arguments[0], "--parse-only", *arguments[1:]).exit_code == 0


def test_an_output_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_run, "run_suite", lambda *arguments, **options: pytest.fail("it measures first"))
    (tmp_path / "file").write_text("")
    with pytest.raises(HeapwireError, match=f"cannot write {tmp_path}/file"):
        invoke("bench", "memory", "--output", tmp_path / "file" / "out")


def test_a_suite_without_its_unit_is_left_out_unless_it_is_named(monkeypatch, tmp_path):
    measured, row = [], {"case": "a", "op": "b", "engine": "c", "cycles": 1, "wire_bytes": 1, "ok": True}
    row = complete(row, "default", 16)
    monkeypatch.setattr(bench_run, "unit_missing", lambda suite: "it has no unit" if suite == "memory" else None)
    monkeypatch.setattr(
        bench_run,
        "run_suite",
        lambda suite, *_, **__: measured.append(suite) or written.write(suite, [row], tmp_path, measures=False),
    )
    assert invoke("bench").exit_code == 0 and measured == [suite for suite in bench_run.SUITES if suite != "memory"]
    invoke("bench", "memory", "core")
    assert measured[-2:] == ["memory", "core"]
