"""Rows name the commit that was checked out when they were measured."""

from heapwire.revision import revision
from tests.common.run import git


def test_the_revision_of_a_tree(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "file").write_text("one")
    (tmp_path / "docs" / "page").write_text("one")
    for words in (["init", "-q"], ["add", "file", "docs"], ["commit", "-q", "-m", "first"]):
        git(tmp_path, *words)
    (tmp_path / "docs" / "page").write_text("the report's page is written after the measurement")
    (tmp_path / "untracked").write_text("one")
    clean = revision(tmp_path)
    assert clean == git(tmp_path, "rev-parse", "--short=8", "HEAD").strip()
    revision.cache_clear()
    (tmp_path / "file").write_text("two")
    assert revision(tmp_path) == f"{clean}-dirty"
    revision.cache_clear()


def test_without_a_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    revision.cache_clear()
    assert revision(tmp_path) == "unknown"
    revision.cache_clear()
