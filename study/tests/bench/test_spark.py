"""Records that Spark serialized as graphs, and rows of its runs."""

import json

import pytest

from base.errors import HeapwireError
from heapwire.cereal import objects, read
from heapwire.klasses import Maker
from study.bench import cereal, spark
from study.bench.objects import captured


def test_records_of_every_program_are_there(klasses):
    for program in captured.PROGRAMS:
        found = captured.load(captured.file_of(program))
        assert found["program"] == program and 0 < len(found["records"]) <= found["of"]
        graph = captured.graph(program, klasses)
        roots = graph.reached[0].slots[: graph.reached[0].length]
        assert graph.name == f"captured-{program}/{len(found['records'])}"
        assert [root.cls.name for root in roots] == [nodes[0][0] for record in found["records"] for nodes in record]
        # A string's array is an object that the text does not have.
        nodes = [node for record in found["records"] for each in record for node in each]
        assert graph.objects == 1 + len(nodes) + sum(node[0] == "java.lang.String" for node in nodes)
        assert len(objects(read(graph.stream, klasses.classes).root)) == graph.objects


def write(folder, records, of):
    document = {"program": "x", "input": "", "spark": "", "of": of, "records": records}
    (folder / "x.json").write_text(json.dumps(document))


def test_values_and_references_are_those_of_the_file(klasses, tmp_path):
    point = [
        ["heapwire.bench.LabeledPoint", {"label": -1.5, "features": 1}],
        ["heapwire.bench.DenseVector", {"size": 2, "values": 2}],
        ["[D", [0.5, 3]],
    ]
    ring = [["heapwire.bench.ListNode", {"value": 7, "next": 0}]]
    records = [[[["java.lang.Long", {"value": -2}]], point], [ring], [[["java.lang.String", "\u20ac"]]]]
    write(tmp_path, records, 3)
    maker = Maker(klasses)
    key, value, node, string = captured.build(maker, tmp_path / "x.json", 9).slots[:4]
    other = Maker(klasses)
    vector = other.new("heapwire.bench.DenseVector", size=2, values=other.values("[D", [0.5, 3]))
    wanted = other.new("heapwire.bench.LabeledPoint", label=-1.5, features=vector)
    assert key.slots == other.new("java.lang.Long", value=-2).slots
    assert [each.slots for each in objects(value) if each.cls.name == "[D"] == [other.values("[D", [0.5, 3]).slots]
    assert [each.cls.name for each in objects(value)] == [each.cls.name for each in objects(wanted)]
    assert node.slots[(klasses[node.cls.name].fields["next"][1] - 16) // 4] is node
    assert [each.slots for each in objects(string)][1] == objects(other.string("\u20ac"))[1].slots


@pytest.mark.parametrize(
    "node, text",
    [
        (["scala.Tuple2", {}], "no class of study/java/classes.txt"),
        (["java.lang.Long", {"other": 1}], "which the class here does not have"),
    ],
)
def test_what_cannot_be_mapped_is_told(klasses, tmp_path, node, text):
    write(tmp_path, [[[node]]], 1)
    with pytest.raises(HeapwireError, match=text):
        captured.build(Maker(klasses), tmp_path / "x.json", 1)


def test_a_damaged_file_is_told(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(HeapwireError, match="run `make spark`"):
        captured.load(tmp_path / "x.json")


def test_the_group_is_measured_without_serializers_by_hand(klasses):
    found = cereal.groups(klasses)
    (group,) = [each for each in found if each.name == "captured"]
    keys = {key for key in cereal.rows_of_cereal(found) if key[0].startswith("captured-")}
    engines = {engine for _, _, engine in keys}
    assert "kryo-manual" not in engines and {"java", "kryo-generic", "cereal-sw", "hw", "hw-x8"} <= engines
    assert len(keys) == 2 * len(engines) * len(group.graphs)


def run(program="svm", serializer="java", kind="measured", **more):
    """A run that nobody measured."""
    numbers = dict.fromkeys(spark.COUNTED, 5)
    if kind == "measured":
        numbers = dict.fromkeys(spark.MEASURED, 1) | {"run_ns": 1000, "serialize_ns": 100, "deserialize_ns": 300}
        numbers |= {"computation_ns": 590, "input": "points", "spark": "3", "jvm": "a JVM"}
    return {"program": program, "serializer": serializer, "kind": kind, "ok": True} | numbers | more


def test_a_measured_run_is_a_row():
    java, kryo = spark.rows([run(), run(kind="inspected"), run(serializer="kryo", ok=False)], "a processor")
    assert (java["case"], java["engine"], java["ok"], java["share"]) == ("svm", "java", True, 0.4)
    assert (java["run_ns"], java["objects"], java["cpu"], java["cycles"]) == (1000, 5, "a processor", 0)
    assert kryo["ok"] is False
    told = spark.problems([java, kryo])
    assert "wrong: svm (kryo)" in told and "not measured: als (java)" in told and len(told) == 19


def test_a_run_whose_records_were_wrong_is_wrong():
    assert [row["ok"] for row in spark.rows([run(), run(kind="inspected", ok=False)])] == [False]


@pytest.mark.parametrize("kryo, told", [(590, []), (619, []), (561, ["differs by 5.2 %"]), (640, ["differs by 8.5 %"])])
def test_computation_that_depends_on_the_serializer_is_told(kryo, told):
    found = spark.rows([run(), run(serializer="kryo", computation_ns=kryo)])
    refusals = spark.refusals(found)
    assert len(refusals) == len(told) and all(each in refusal for each, refusal in zip(told, refusals))


def test_rows_of_an_older_meter_are_refused():
    with pytest.raises(HeapwireError, match="of an older meter. What to do: make spark"):
        spark.uneven([{"case": "lr", "engine": "java"}, {"case": "lr", "engine": "kryo"}])
