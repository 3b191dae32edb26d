"""The tables as C code and the collector see them."""

import json

import pytest
import tables


@pytest.fixture(scope="module")
def classes(programs):
    return tables.read(programs / "tables")


def test_rules_of_the_layout(classes):
    """Fields are aligned, do not overlap, and lie behind the header and within the object. References are where the
    bitmap says."""
    for each in classes.values():
        if each.kind != tables.INSTANCE:
            continue
        used = {}
        for field in each.all_fields():
            assert field.offset % field.size == 0 and field.offset >= (16 if each.metadata else 8), (each.name, field)
            for byte in range(field.offset, field.offset + field.size):
                assert used.setdefault(byte, field.name) is field.name and byte < each.size, (each.name, field)
        assert each.size % 8 == 0 and each.size - max(used, default=15 if each.metadata else 7) <= 8, each.name
        assert each.references == sorted(field.offset for field in each.all_fields() if field.is_reference), each.name
        assert (
            not each.superclass
            or each.superclass.name == "java.lang.Object"
            or each.superclass.metadata == each.metadata
        )


def test_hand_made_layouts(classes):
    """With a header of 8 bytes, a long after an int leaves a gap, which a subclass fills. With 16 bytes, all offsets
    are 8 larger."""
    shapes = {name.partition("$")[2]: each for name, each in classes.items() if name.startswith("tricky.Shapes$")}
    assert shapes["Int"].offsets() == {"a": 8} and shapes["Int"].size == 16
    assert shapes["LongAfterInt"].offsets() == {"b": 16, "c": 12} and shapes["LongAfterInt"].size == 24
    assert shapes["FillsGap"].offsets() == {"d": 14, "e": 24, "f": 13} and shapes["FillsGap"].size == 32
    assert shapes["Bytes"].offsets() == {"a": 8, "b": 9, "c": 10}
    # The alignment of `f` leaves a gap behind `c`, from 11 to 16. `g` and then `d` go there.
    assert shapes["ReferenceFirst"].offsets() == {"f": 16, "h": 24, "g": 12, "e": 32, "d": 11, "r": 36, "s": 40}
    assert shapes["AfterNone"].offsets() == {"last": 34}
    media = {"duration": 16, "width": 24, "height": 28, "bitrate": 32, "hasBitrate": 36, "uri": 40, "persons": 44}
    assert classes["heapwire.tests.Media"].offsets() == media | {"player": 48}
    assert classes["heapwire.tests.Media"].size == 56
    assert classes["java.lang.String"].offsets() == {"hash": 16, "coder": 20, "hashIsZero": 21, "value": 24}


def test_metadata(classes):
    """Metadata are in serializable classes, their relatives, the classes that the list names, and arrays."""
    having = {name for name, each in classes.items() if each.metadata}
    ours = {"heapwire.tests.Media", "tricky.Shapes$Base", "tricky.Shapes$Saved", "tricky.Shapes$Sibling"}
    jdks = {"java.lang.Long", "java.util.AbstractList", "java.util.HashMap$Node", "[B", "[[J", "java.lang.Enum"}
    assert ours | jdks <= having
    assert not having & {"java.lang.Object", "tricky.Shapes$Int", "tricky.Identified$Plain"}
    assert classes["tricky.Shapes$Sibling"].flags == classes["tricky.Shapes$Base"].flags == 0
    assert classes["tricky.Shapes$Saved"].flags == tables.SERIALIZABLE


def test_what_the_host_is_told(classes, java):
    """classes.json, next to the tables, has all classes in their order."""
    told = json.loads((java.tables / "classes.json").read_text())
    assert [each["name"] for each in told] == list(classes)
    for each in told:
        known = classes[each["name"]]
        for member in ("kind", "shift", "size", "metadata", "constants"):
            assert each[member] == getattr(known, member), (each["name"], member)
        assert each["super"] == (known.superclass.name if known.superclass else None)
        assert [tuple(field) for field in each["fields"]] == [
            (field.name, field.descriptor, field.offset) for field in known.all_fields()
        ]


def test_long_bitmaps(classes):
    wide = classes["tricky.Shapes$Wide"]
    assert wide.size > 8 + 4 * 32 and max(wide.references) >= 8 + 4 * 32 and len(wide.references) == 5
    assert classes["tricky.Shapes$WideNumbers"].references == []


def test_arrays(classes):
    for name, shift in {"[Z": 0, "[B": 0, "[C": 1, "[S": 1, "[I": 2, "[J": 3, "[F": 2, "[D": 3}.items():
        each = classes[name]
        assert (each.kind, each.shift, each.size) == (tables.PRIMITIVE_ARRAY, shift, 0)
    for name in ["[Ljava.lang.Object;", "[[J", "[Ljava.util.Map;", "[[Ltricky.Members$Private;"]:
        each = classes[name]
        assert (each.kind, each.shift, each.size) == (tables.OBJECT_ARRAY, 2, 0)
        assert each.superclass.name == "java.lang.Object"


def test_descriptions(classes):
    player = classes["heapwire.tests.Media$Player"]
    assert player.constants == ["JAVA", "FLASH"] and player.uid == 0 and player.superclass.name == "java.lang.Enum"
    assert player.flags == tables.SERIALIZABLE | tables.ENUM
    bodied = classes["tricky.Identified$Bodied"]
    assert bodied.constants == ["FIRST", "SECOND"] and classes["tricky.Identified$Bodied$1"].constants == []
    assert classes["tricky.Identified$External"].flags == tables.SERIALIZABLE | tables.EXTERNALIZABLE
    assert classes["java.lang.Number"].flags == tables.SERIALIZABLE | tables.ABSTRACT
    modifiers = {field.name: field.modifiers for field in classes["tricky.Members"].fields}
    assert modifiers == {"skipped": tables.TRANSIENT, "kept": 0, "stamp": 0, "visible": tables.TRANSIENT, "letter": 0}
    assert [field.descriptor for field in classes["java.util.HashMap"].fields][0] == "[Ljava/util/HashMap$Node;"
    assert classes["tricky.Shapes$Größe"].fields[0].name == "maß$"


def test_uids_are_those_of_the_jvm(classes, java):
    """The uid of every class in the tables, arrays included, is the one that java.io.ObjectStreamClass computes."""
    # The names go through a file, because they are not all ASCII.
    lines = java.real("uid", f"{java.shipped}:{java.tricky}", *classes).splitlines()
    real = {name: int(uid) for name, uid in (line.split() for line in lines[:-1])}
    assert real == {name: each.uid for name, each in classes.items()}
    assert len(real) > 80 and len(set(real.values())) > 40
