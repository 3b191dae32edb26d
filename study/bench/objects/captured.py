"""Records that Spark serialized in programs of the papers: a sample of each, which `make spark` captured
(study/docs/spark.md)."""

import json
from functools import cache, partial
from pathlib import Path

from base.errors import HeapwireError
from heapwire.cereal import Object
from heapwire.klasses import Klasses, Maker
from study.bench.objects.workload import Graph

FOLDER = Path(__file__).with_name("captured")
CASE = "captured-"
"""What the names of their graphs begin with; the program follows, and how many records there are."""
ROOT = "[Ljava.lang.Object;"
CEREAL = ("nweight", "svm", "bayes", "lr", "terasort", "als")
"""The programs of Cereal's Table III."""
SKYWAY = ("word-count", "page-rank", "components", "triangles")
"""The programs of Skyway, section 5.2."""
PROGRAMS = CEREAL + SKYWAY


@cache
def load(path: Path) -> dict:
    """Returns the content of a file of records: the program, its input, Spark's version, the number of records of
    which these are a sample, and the records."""
    try:
        found = json.loads(path.read_text())
        found["program"], found["input"], found["spark"], found["of"], found["records"]
    except (ValueError, KeyError, TypeError) as error:
        raise HeapwireError(f"{path} has no records of Spark ({error}): run `make spark`") from error
    return found


def file_of(program: str, folder: Path = FOLDER) -> Path:
    return folder / f"{program}.json"


def build(maker: Maker, path: Path, count: int) -> Object:
    """Returns an array of the keys and values of the first `count` records. Each is a graph of its own, as Spark
    serializes them."""
    roots = [_root(maker, nodes) for record in load(path)["records"][:count] for nodes in record]
    return maker.references(ROOT, roots)


def _root(maker: Maker, nodes: list) -> Object:
    """Makes the objects of a list that gives the class and the contents of each. Returns the first object. Makes an
    object before those that refer to it, if possible."""
    made: dict[int, Object] = {}
    for place in reversed(range(len(nodes))):
        name, contents = nodes[place]
        if name not in maker.klasses.by_name:
            raise HeapwireError(
                f"a record of Spark has an object of {name}, which is no class of study/java/classes.txt"
            )
        if name == "java.lang.String":
            made[place] = maker.string(contents)
        elif name.startswith(("[L", "[[")):
            made[place] = maker.references(name, [None] * len(contents))
        elif name.startswith("["):
            made[place] = maker.values(name, bytes.fromhex(contents) if name == "[B" else contents)
        else:
            values = {field: value for field, value in contents.items() if not _refers(maker, name, field)}
            made[place] = maker.new(name, **values)
    for place, (name, contents) in enumerate(nodes):
        if name.startswith(("[L", "[[")):
            made[place].slots[: len(contents)] = [None if each is None else made[each] for each in contents]
        elif isinstance(contents, dict):
            places = {field: place for field, place in contents.items() if _refers(maker, name, field)}
            maker.set(made[place], **{field: None if at is None else made[at] for field, at in places.items()})
    return made[0]


def _refers(maker: Maker, name: str, field: str) -> bool:
    try:
        return maker.klasses[name].fields[field][0][0] in "L["
    except KeyError as error:
        raise HeapwireError(
            f"a record of Spark has a field {field} of {name}, which the class here does not have"
        ) from error


def graph(program: str, klasses: Klasses, most: int | None = None) -> Graph:
    """Returns the graph of a program's records. most: a limit on their number; the graph's name is then only that of
    the program."""
    path = file_of(program)
    there = len(load(path)["records"])
    name = f"{CASE}{program}" if most else f"{CASE}{program}/{there}"
    return Graph(name, partial(build, path=path, count=min(most or there, there)), klasses)
