"""tests/run, which runs the suites."""

import os
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from base.repository import ROOT


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = SourceFileLoader("tests_run", str(ROOT / "tests" / "run"))
    module = module_from_spec(spec_from_loader("tests_run", loader))
    monkeypatch.setitem(sys.modules, "tests_run", module)  # dataclasses look there
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("good", [True, False])
def test_temporary_folders_stay_only_where_a_test_has_failed(runner, tmp_path, monkeypatch, good):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(runner, "LOGS", tmp_path)
    (tmp_path / "test_it.py").write_text(
        f"def test_it(tmp_path):\n    (tmp_path / 'file').write_text('')\n    assert {good}\n"
    )
    *command, _ = runner.suites(False)["host"][0]
    command += ["-p", "no:hypothesispytest", "--rootdir", str(tmp_path), str(tmp_path / "test_it.py")]
    result, *_ = runner.run("it", command, runner.pytest_count, dict(os.environ))
    assert (result.passed, result.failed) == (int(good), int(not good))
    assert bool(list(tmp_path.glob("heapwire-*/pytest-of-*/**/file"))) != good


def test_what_was_skipped_is_said_once_at_the_end(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "LOGS", tmp_path)
    skip = "SKIPPED [1] tests/soc/test_a.py:{}: the runner is not here: `make it` fetches it\n"
    (tmp_path / "soc.log").write_text(skip.format(3) + "other\n" + skip.format(9))
    (tmp_path / "host.log").write_text("7 passed\n")
    assert runner.skipped(["host", "soc"]) == ["soc: the runner is not here: `make it` fetches it"]
