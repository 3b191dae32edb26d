"""Rows name the commit that was checked out when they were measured."""

import subprocess

from heapwire.revision import revision


def test_the_revision_of_a_tree(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    (tmp_path / "docs").mkdir()
    (tmp_path / "file").write_text("one")
    (tmp_path / "docs" / "page").write_text("one")
    git("init", "-q")
    git("add", "file", "docs")
    git("commit", "-q", "-m", "first")
    (tmp_path / "docs" / "page").write_text("the report's page is written after the measurement")
    (tmp_path / "untracked").write_text("one")
    clean = revision(tmp_path)
    assert clean == git("rev-parse", "--short=8", "HEAD")
    revision.cache_clear()
    (tmp_path / "file").write_text("two")
    assert revision(tmp_path) == f"{clean}-dirty"
    revision.cache_clear()


def test_without_a_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    revision.cache_clear()
    assert revision(tmp_path) == "unknown"
    revision.cache_clear()
