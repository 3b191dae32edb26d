"""Where the report goes."""

from click.testing import CliRunner

from study.report import __main__ as report
from study.report import html, markdown, page, store


def test_an_output_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    for module, name in ((store, "load"), (page, "build"), (html, "page"), (markdown, "page")):
        monkeypatch.setattr(module, name, lambda *arguments: "")
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(report.main, ["--output", str(tmp_path / "file" / "index.html")])
    assert result.exit_code == 1 and f"cannot write {tmp_path}/file: " in result.output
