"""The firmware's Java classes, as `make classes` describes them, and objects of these classes."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.cereal import Class, ClassSet, Kind, Object
from heapwire.skyway import Registry
from heapwire.skyway.formats import Field, fields_of_classes

FORMATS = {"Z": "<?", "B": "<b", "C": "<H", "S": "<h", "I": "<i", "F": "<f", "J": "<q", "D": "<d"}
REGISTRY = 1
"""Number of the registry of a single machine (study/firmware/programs/serializers)."""
FIELDS = 16
"""Offset of the first slot of an instance with metadata."""


@dataclass(frozen=True, eq=False)
class Klass:
    """A class. index: its place among all classes, from which ids follow. fields: descriptor and offset by name,
    including superclasses' fields; of several with one name the one declared last. bytes: size of all fields. placed:
    all fields in the order in which a heap places them."""

    index: int
    cls: Class
    constants: tuple[str, ...]
    fields: dict[str, tuple[str, int]]
    bytes: int
    placed: tuple[Field, ...]


def default_path() -> Path:
    return ROOT / "build" / "classes" / "classes.json"


class Klasses:
    """All classes that have metadata, by `Class.getName()`. `classes` is the class set of a program that registers them
    in the order of their ids. `registry` is the Skyway numbering of a machine that loads them in that order. `count` is
    the number of all classes."""

    def __init__(self, path: Path | None = None) -> None:
        path = path or default_path()
        try:
            described = json.loads(path.read_text())
        except FileNotFoundError as error:
            raise HeapwireError(f"{path} is not there: run `make classes`") from error
        self.count = len(described)
        placed = fields_of_classes(described, FIELDS)
        self.by_name = {
            each["name"]: _klass(index, each, placed[each["name"]])
            for index, each in enumerate(described)
            if each["metadata"]
        }
        self.index = {klass.cls: klass.index for klass in self.by_name.values()}
        self.classes = ClassSet([klass.cls for klass in self.by_name.values()])
        self.registry = Registry(REGISTRY)
        for klass in self.by_name.values():
            self.registry.load(klass.cls, klass.placed)

    def __getitem__(self, name: str) -> Klass:
        return self.by_name[name]


def _klass(index: int, described: dict, placed: tuple[Field, ...]) -> Klass:
    fields = {name: (descriptor, offset) for name, descriptor, offset in described["fields"]}
    kind = next(each for each in Kind if each.code == described["kind"])
    references = [False] * ((described["size"] - FIELDS) // 4 if kind == Kind.INSTANCE else 0)
    for _, descriptor, offset in described["fields"]:
        if descriptor[0] in "L[":
            references[(offset - FIELDS) // 4] = True
    cls = Class(described["name"], kind, described["shift"], tuple(references))
    width = sum(struct.calcsize(FORMATS.get(descriptor[0], "<I")) for _, descriptor, _ in described["fields"])
    return Klass(index, cls, tuple(described["constants"]), fields, width, placed)


class Maker:
    """Makes the objects of one graph. `made` lists them in the order in which the machine will allocate them. Constants
    of enums are the machine's own; `constants` gives their ordinals by the id() of the object."""

    def __init__(self, klasses: Klasses) -> None:
        self.klasses = klasses
        self.made: list[Object] = []
        self.constants: dict[int, int] = {}
        self._by_constant: dict[tuple[str, str], Object] = {}

    def _blank(self, name: str, length: int = 0) -> Object:
        cls = self.klasses[name].cls
        return Object(cls, 0, length, [None if cls.is_reference(i, length) else 0 for i in range(cls.slots(length))])

    def new(self, name: str, /, **fields) -> Object:
        """Returns a new instance. Fields that are not given are null or 0."""
        made = self._blank(name)
        self.made.append(made)
        self.set(made, **fields)
        return made

    def set(self, instance: Object, /, **fields) -> None:
        """Sets fields of an instance: numbers, truth values, objects."""
        known = self.klasses[instance.cls.name].fields
        for field, value in fields.items():
            descriptor, offset = known[field]
            slot, shift = divmod(offset - FIELDS, 4)
            if descriptor[0] in "L[":
                instance.slots[slot] = value
                continue
            data = struct.pack(FORMATS[descriptor], value)
            if len(data) < 4:
                data = bytes(shift) + data + bytes(4 - shift - len(data))
                keep = instance.slots[slot] & ~int.from_bytes(
                    bytes(shift) + b"\xff" * struct.calcsize(FORMATS[descriptor]), "little"
                )
                instance.slots[slot] = keep | int.from_bytes(data, "little")
            else:
                for i in range(len(data) // 4):
                    instance.slots[slot + i] = int.from_bytes(data[4 * i : 4 * i + 4], "little")

    def references(self, name: str, elements: list[Object | None]) -> Object:
        """Returns a new array of references."""
        made = self._blank(name, len(elements))
        made.slots[: len(elements)] = elements
        self.made.append(made)
        return made

    def values(self, name: str, elements) -> Object:
        """Returns a new array of numbers, or of bytes if `elements` is bytes."""
        code = FORMATS[name[1]][1]
        data = elements if isinstance(elements, bytes) else struct.pack(f"<{len(elements)}{code}", *elements)
        made = self._blank(name, len(elements))
        padded = data + bytes(4 * len(made.slots) - len(data))
        made.slots[:] = [word for (word,) in struct.iter_unpack("<I", padded)]
        self.made.append(made)
        return made

    def string(self, text: str) -> Object:
        """Returns a new java.lang.String, in Latin-1 if possible."""
        try:
            data, coder = text.encode("latin-1"), 0
        except UnicodeEncodeError:
            data, coder = text.encode("utf-16-le", "surrogatepass"), 1
        value = self.values("[B", data)
        return self.new("java.lang.String", value=value, coder=coder)

    def list(self, elements: list[Object]) -> Object:
        """Returns a new java.util.ArrayList without spare capacity."""
        array = self.references("[Ljava.lang.Object;", elements)
        return self.new("java.util.ArrayList", elementData=array, size=len(elements))

    def constant(self, name: str, constant: str) -> Object:
        """Returns a constant of an enum. It is one object, made together with the machine's heap."""
        if (name, constant) not in self._by_constant:
            ordinal, made = self.klasses[name].constants.index(constant), self.made
            self.made = []  # the graph does not make the constant's name, either
            found = self.new(name, name=self.string(constant), ordinal=ordinal)
            self.made = [*made, found]
            self.constants[id(found)] = ordinal
            self._by_constant[name, constant] = found
        return self._by_constant[name, constant]
