"""The format file of docs/howto/heap_formats.md: its heaps, streams of Java objects for each of them, its errors."""

import json
import re
import subprocess

import pytest
from click.testing import CliRunner
from conftest import ROOT
from programs import example
from test_formats import FORMATS

from heapwire.cereal import difference
from heapwire.cli import cli
from heapwire.klasses import Klasses
from heapwire.skyway import Format, FormatError, Header, read, write
from heapwire.skyway.cluster import KEYS, load, parse
from tests.common.built import classes

CLUSTER = parse(example(), "cluster.toml")


def test_the_example():
    assert CLUSTER.heaps == {
        "driver": Format(),
        "plain": Format(8, 16),
        "worker2": FORMATS["hotspot"],
        "worker3": FORMATS["hotspot-baddr"],
        "worker4": FORMATS["hotspot-all4"],
        "worker5": FORMATS["hotspot-class4"],
    }


def test_the_table_of_the_reference():
    """docs/reference/skyway.md has the same numbers."""
    page = (ROOT / "docs" / "reference" / "skyway.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| *(\d+) \| *(\d+) \| *(\d+) \| *(\d+) \|$", page, re.M)
    assert sorted(name for name, *_ in rows) == sorted(KEYS)
    for column, heap in enumerate(("driver", "worker2", "worker5", "worker4")):
        assert Format(**{name: int(numbers[column]) for name, *numbers in rows}) == CLUSTER[heap]


@pytest.fixture(scope="module")
def klasses():
    return Klasses(classes() / "classes.json")


def stream_for(programs, heap):
    result = subprocess.run([programs / "formats", heap], capture_output=True)
    assert result.returncode == 0, (result.returncode, result.stderr.decode())
    return result.stdout


@pytest.mark.parametrize("heap", CLUSTER.heaps)
def test_java_objects(programs, klasses, heap):
    """An object of each class, with every field of it: the graph is the same for each heap, and Python writes the bytes
    that C writes."""
    form, registry = CLUSTER[heap], klasses.registry
    own = read(stream_for(programs, "driver"), registry)
    found = read(stream_for(programs, heap), registry, form)
    assert len(found.objects) > 25
    assert difference(found.roots[0], own.roots[0]) is None
    ours = write(own.roots, registry, Header(registry.number, format=form))
    assert read(ours, registry, form).image == found.image


def test_fields_of_a_string(programs, klasses):
    """A string lies in a stream where HotSpot has it, with references of 8 bytes: hash, coder, hashIsZero, value."""
    form, string = CLUSTER["worker2"], "java.lang.String"
    placement = klasses.registry.placement(klasses[string].cls, form)
    described = json.loads((classes() / "classes.json").read_text())
    names = {offset - 16: name for each in described if each["name"] == string for name, _, offset in each["fields"]}
    assert {names[field.offset]: at for field, at in placement.places} == {
        "hash": 16,
        "coder": 20,
        "hashIsZero": 21,
        "value": 24,
    }


def test_an_unknown_heap(programs):
    assert subprocess.run([programs / "formats", "worker9"]).returncode == 4
    with pytest.raises(FormatError, match="^cluster.toml: unknown heap 'worker9'; known so far: driver, plain"):
        CLUSTER["worker9"]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "x.toml: names no heap; each has a table [heap.NAME]"),
        ("heap = 3", "x.toml: names no heap; each has a table [heap.NAME]"),
        ("[heap]", "x.toml: names no heap; each has a table [heap.NAME]"),
        ("[heap]\na = 3", "x.toml: heap.a: must be a table of keys, [heap.a]"),
        ("[heaps.a]", "x.toml: unknown key 'heaps'; there are only tables [heap.NAME]"),
        ("[heap.a", "x.toml: Expected ']' at the end of a table declaration (at end of document)"),
        ('[heap."a b"]', "x.toml: heap name 'a b': letters, digits and . _ - only"),
        (
            "[heap.a]\npointer = 8",
            "x.toml: heap.a: unknown key 'pointer'; there are: fields, elements, alignment, reference_bytes, "
            "mark_bytes, class_bytes, length, hash_bit, hash_bits, unlocked, like",
        ),
        ("[heap.a]\nfields = 1.5", "x.toml: heap.a: fields = 1.5: must be a whole number"),
        ("[heap.a]\nfields = true", "x.toml: heap.a: fields = True: must be a whole number"),
        ('[heap.a]\nlike = "b"\n[heap.b]', "x.toml: heap.a: like: unknown heap 'b'; known so far: none"),
        ("[heap.b]\n[heap.a]\nlike = 3", "x.toml: heap.a: like: unknown heap 3; known so far: b"),
        ("[heap.a]\nreference_bytes = 6", "x.toml: heap.a: reference_bytes = 6: must be 4 or 8"),
        ("[heap.a]\nalignment = 12", "x.toml: heap.a: alignment = 12: must be 8 or 16"),
        (
            "[heap.a]\nclass_bytes = 8",
            "x.toml: heap.a: class_bytes = 8: a class word behind a mark of 4 bytes would not be aligned",
        ),
        ("[heap.a]\nhash_bits = 20", "x.toml: heap.a: hash_bits = 20: must be 25 or more: a hash has 25 bits"),
        (
            "[heap.a]\nhash_bit = 8",
            "x.toml: heap.a: hash_bit = 8: a hash of 25 bits does not fit there into a mark of 4 bytes",
        ),
        (
            "[heap.a]\nunlocked = 128",
            "x.toml: heap.a: unlocked = 128: must fit into 8 bits and below the hash, which begins at bit 7",
        ),
        ("[heap.a]\nfields = 4", "x.toml: heap.a: fields = 4: overlaps the words of the header, which end at 8"),
        ("[heap.a]\nlength = 4", "x.toml: heap.a: length = 4: overlaps the words of the header, which end at 8"),
        ("[heap.a]\nlength = 24", "x.toml: heap.a: elements = 24: overlaps the length, which is at 24 and has 4 bytes"),
        ("[heap.a]\nelements = 20", "x.toml: heap.a: elements = 20: must be a multiple of 8, up to 248"),
        ("[heap.a]\nfields = 256", "x.toml: heap.a: fields = 256: must be a multiple of 4, up to 248"),
    ],
)
def test_errors(text, problem):
    with pytest.raises(FormatError) as error:
        parse(text, "x.toml")
    assert str(error.value) == problem


def test_the_command(tmp_path):
    file = tmp_path / "cluster.toml"
    file.write_text(example())
    result = CliRunner().invoke(cli, ["heaps", str(file), "-o", str(tmp_path / "generated")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "generated" / "heaps.h").exists() and "worker5" in (
        tmp_path / "generated" / "heaps.c"
    ).read_text()


def test_a_bad_file(tmp_path):
    file = tmp_path / "cluster.toml"
    with pytest.raises(FormatError, match="cannot read .*No such file"):
        load(file)
    file.write_bytes(b"\xff")
    with pytest.raises(FormatError, match="not a text in UTF-8"):
        load(file)
    file.write_text("[heap.a]\nfields = 1")
    result = CliRunner().invoke(cli, ["heaps", str(file), "-o", str(tmp_path / "generated")])
    assert isinstance(result.exception, FormatError) and not (tmp_path / "generated").exists()
