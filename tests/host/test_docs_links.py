"""Links lead somewhere. In Markdown each relative link leads to a file that is tracked, and each anchor to a heading of
that file. In every tracked text file each mention of a file below docs/ is one that exists."""

import posixpath
import re
import subprocess

import pytest

from base.repository import ROOT

FENCE = re.compile(r"^ *```.*?^ *```[^\n]*$", re.M | re.S)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#* *$", re.M)
MENTION = re.compile(r"(?<![\w./-])docs/[\w./-]*\w")
STALE = {("sim/harness/link.h", "docs/sim.md")}
"""Mentions that stay until their file changes for another reason. Kept rows of benches belong to the exact content of
`sim/harness` (study.bench.identity): a new comment there would cost every measurement."""
ROOT_LINK = re.compile(r"\]\(root:([^(){}\s]+)\)")


def tracked(root=ROOT):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True)
    if listed.returncode:
        pytest.skip("not a clone: git lists no files")
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]


def text_of(file):
    try:
        return file.read_text()
    except UnicodeDecodeError:
        return ""


def anchors(page):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), {}
    for heading in HEADING.findall(FENCE.sub("", page)):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def broken(pages, exists):
    """Returns the broken links of pages. pages: their texts by path. exists: whether a file or folder is there."""
    found = []
    for name, page in pages.items():
        for link in LINK.findall(CODE.sub("", FENCE.sub("", page))):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
            if not exists(path):
                found.append(f"{name}: no file {link}")
            elif anchor and anchor not in anchors(pages.get(path, "")):
                found.append(f"{name}: no heading {link}")
    return found


def unknown(texts, exists):
    """Returns the mentions of files below docs/ that are not there, as pairs of file and mention. Links are no
    mentions: they begin at their page."""
    return {
        (name, mention)
        for name, text in texts.items()
        for mention in MENTION.findall(LINK.sub("", text))
        if not exists(mention)
    }


@pytest.fixture(scope="module")
def texts():
    return {name: text_of(ROOT / name) for name in tracked()}


@pytest.fixture(scope="module")
def exists(texts):
    folders = {folder for name in texts for folder in map("/".join, _starts(name.split("/")[:-1]))}
    return lambda path: path in texts or path in folders


def _starts(parts):
    return [parts[:end] for end in range(1, len(parts) + 1)]


def test_links_of_pages_lead_to_files_and_headings(texts, exists):
    pages = {name: text for name, text in texts.items() if name.endswith(".md")}
    assert len(pages) > 40
    assert not broken(pages, exists)


def test_mentions_of_pages_are_of_files_that_exist(texts, exists):
    assert (
        unknown({name: text for name, text in texts.items() if name != "tests/host/test_docs_links.py"}, exists)
        == STALE
    )


def test_the_report_links_pages_that_exist(texts, exists):
    """The report's sources name pages from the root, as `root:docs/reference/host.md`."""
    named = {link for name, text in texts.items() if name.startswith("study/") for link in ROOT_LINK.findall(text)}
    assert len(named) > 10
    for link in named:
        target, _, anchor = link.partition("#")
        assert exists(target), link
        assert not anchor or anchor in anchors(texts[target]), link


def test_each_page_is_in_the_index(texts):
    """docs/README.md has a line for each page, each decision and each example."""
    index = texts["docs/README.md"]
    named = {posixpath.normpath(posixpath.join("docs", link.partition("#")[0])) for link in LINK.findall(index)}
    assert {name for name in texts if name.startswith(("docs/", "examples/")) and name.endswith(".md")} - named == {
        "docs/README.md"
    }


def test_what_is_broken_is_found():
    """The checks can fail: a missing file, a missing heading, and a mention of a page that is not there."""
    pages = {
        "docs/a/one.md": "# One\n\n## `x`: two words\n\n[a](../b/two.md) [b](../b/two.md#twice-1) [c](#x-two-words) "
        "[web](https://a.b/c) `[no](link)`\n",
        "docs/b/two.md": "# Two\n\n## Twice\n\n## Twice\n\n```\n# no heading\n[no](link)\n```\n",
    }
    assert broken(pages, pages.__contains__) == []
    pages["docs/b/two.md"] += "[gone](../three.md) [lost](../a/one.md#two) [here](#no-heading)\n"
    assert broken(pages, pages.__contains__) == [
        "docs/b/two.md: no file ../three.md",
        "docs/b/two.md: no heading ../a/one.md#two",
        "docs/b/two.md: no heading #no-heading",
    ]
    sources = {"a.c": '/* docs/a/one.md. docs/one.md, "Twice" */', "b.py": "build/docs/other.md, docs/b/two.md"}
    assert unknown(sources, pages.__contains__) == {("a.c", "docs/one.md")}
