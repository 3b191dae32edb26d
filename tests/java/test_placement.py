"""The places of fields in the heaps of JVMs with other formats (heapwire.skyway): those of the JVM that the tests run
on."""

import json

import pytest

from heapwire.skyway.formats import Placement, fields_of_classes

FIELDS = 16
# First field and bytes of a reference -> the options that select them.
HEAPS = {
    (12, 4): [],
    (16, 4): ["-XX:-UseCompressedClassPointers"],
    (12, 8): ["-XX:-UseCompressedOops"],
    (16, 8): ["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"],
}


@pytest.mark.parametrize("heap", HEAPS, ids=str)
def test_places_in_the_jvm(java, heap):
    described = json.loads((java.tables / "classes.json").read_text())
    placed = fields_of_classes(described, FIELDS)
    instances = [each for each in described if each["metadata"] and each["kind"] == 0]
    names = [each["name"] for each in instances]
    output = java.real("offsets", f"{java.shipped}:{java.tricky}", *names, options=HEAPS[heap])
    real = {name: int(offset) for name, offset in (line.rsplit(" ", 1) for line in output.splitlines())}
    compared = 0
    for each in instances:
        inherited = sum(len(other["fields"]) for other in described if other["name"] == each["super"])
        places = {field.offset: at for field, at in Placement(placed[each["name"]], *heap).places}
        for name, _, offset in each["fields"][inherited:]:
            assert places[offset - FIELDS] == real[f"{each['name']}.{name}"], (each["name"], name)
            compared += 1
    assert compared > 80
