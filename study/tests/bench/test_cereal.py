"""The suite `cereal`: its graphs, its rows, bars and tables."""

import struct
from functools import partial

import pytest

from base.errors import HeapwireError
from heapwire.cereal import Kind, Object, difference, objects, read
from heapwire.klasses import Klasses, Maker
from study.bench import cereal, expected, rows
from study.bench.objects import records, shapes, workload
from study.bench.objects.digest import digest_bytes, digest_graph
from study.figures import cereal as figures
from study.figures import units
from study.records import objects as record
from study.report import graphs
from study.report.store import Store
from study.tests.bench.bench_rows import bar_of, of_suite


@pytest.fixture
def maker(klasses):
    return Maker(klasses)


def field(instance, klasses, name):
    _, offset = klasses[instance.cls.name].fields[name]
    return instance.slots[(offset - 16) // 4]


def test_classes(klasses):
    assert klasses["heapwire.bench.TreeNode"].cls.references == (False, False, True, False)
    assert klasses["[D"].cls.kind == Kind.VALUES and klasses["[D"].cls.shift == 3
    assert "java.lang.Object" not in klasses.by_name and klasses.count > len(klasses.by_name)


def test_without_tables(tmp_path):
    with pytest.raises(HeapwireError, match="make classes"):
        Klasses(tmp_path / "classes.json")


def test_fields_of_every_width(maker, klasses):
    made = maker.new("data.media.Media", width=-1, duration=-2, hasBitrate=True)
    assert field(made, klasses, "width") == 0xFFFFFFFF
    assert made.slots[0:2] == [0xFFFFFFFE, 0xFFFFFFFF] and field(made, klasses, "hasBitrate") == 1
    text = maker.string("\uc2a4")
    assert field(text, klasses, "value").slots == [0xC2A4, 0] and field(text, klasses, "coder") == 1
    maker.set(text, coder=0, hashIsZero=True)
    assert field(text, klasses, "coder") == 0x100, "neighbours in a slot stay"
    assert maker.values("[D", [1.5]).slots == list(struct.unpack("<2I", struct.pack("<d", 1.5)))


@pytest.mark.parametrize("width, levels", [(2, 3), (8, 2)])
def test_trees(maker, width, levels):
    root = shapes.tree(maker, width, levels)
    nodes = [each for each in objects(root) if each.cls.name.endswith("TreeNode")]
    assert len(nodes) == shapes.nodes_of_tree(width, levels) == sum(width**i for i in range(levels + 1))
    assert len(objects(root)) == len(maker.made)


def test_lists(maker):
    assert [each.cls.name for each in objects(shapes.linked_list(maker, 5))] == ["heapwire.bench.ListNode"] * 5


@pytest.mark.parametrize("nodes, edges", [(50, 1), (40, 7), (30, 29), (2, 1)])
def test_graphs_are_reached_whole(maker, nodes, edges):
    found = objects(shapes.graph(maker, nodes, edges))
    assert len(found) == 2 * nodes
    for each in found:
        if each.cls.is_array:
            assert each.length == edges and len({id(target) for target in each.slots[:edges]}) == edges


def test_constants_are_one_object_and_not_the_graphs(maker, klasses):
    root = records.media(maker)
    constants = [each for each in maker.made if id(each) in maker.constants]
    found = {(each.cls.name.split("$")[1], maker.constants[id(each)]) for each in constants}
    assert found == {("Player", 0), ("Size", 0), ("Size", 1)}
    names = [field(each, klasses, "name") for each in constants]
    assert all(name not in maker.made for name in names) and set(map(id, names)) <= set(map(id, objects(root)))


def rebuilt(words, klasses):
    """Returns the graph of a workload's words, built as the firmware does."""
    by_index = {klass.index: klass for klass in klasses.by_name.values()}
    values = [word for (word,) in struct.iter_unpack("<I", words)]
    made, slots, at = [], [], 1
    other = Maker(klasses)
    for _ in range(values[0]):
        index, length = values[at : at + 2]
        klass = by_index[index & ~record.OBJECTS_CONSTANT]
        at += 2
        if index & record.OBJECTS_CONSTANT:
            made.append(other.constant(klass.cls.name, klass.constants[length]))
            slots.append(None)
            continue
        count = klass.cls.slots(length)
        made.append(Object(klass.cls, 0, length))
        slots.append(values[at : at + count])
        at += count
    for each, words in zip(made, slots):
        if words is not None:
            each.slots = [
                (made[word - 1] if word else None) if each.cls.is_reference(i, each.length) else word
                for i, word in enumerate(words)
            ]
    assert at == len(values) - 1
    return made[values[-1]]


def test_workload_words(klasses):
    for graph in cereal.quick(klasses).graphs:
        again = rebuilt(graph.words, klasses)
        assert difference(graph._made[0], again) is None
        assert digest_graph(again, klasses) == graph.digest != 0
        assert difference(read(graph.stream, klasses.classes).root, again) is None
        assert graph.stripped < len(graph.stream)


def test_digest_sees_values_sharing_and_classes(maker, klasses):
    def digest(change):
        own = Maker(klasses)
        root = shapes.graph(own, 6, 2)
        change(own.made)
        return digest_graph(root, klasses)

    def swap(made):
        made[7].slots[0], made[7].slots[1] = made[7].slots[1], made[7].slots[0]

    plain = digest(lambda made: None)
    assert plain == digest(lambda made: None)
    others = [
        digest(lambda made: made[0].slots.__setitem__(0, 1 << 20)),
        digest(swap),
        digest(lambda made: made[8].slots.__setitem__(0, None)),
    ]
    assert len({plain, *others}) == 4
    assert digest_bytes(b"abcd") != digest_bytes(b"abcd\0") != digest_bytes(b"abc")


def test_workload_file(klasses):
    cases = cereal.cases(cereal.quick(klasses), cereal.MACHINES["cereal"])
    data = workload.pack(cases, klasses, record.WorkloadFlags.COPY)
    head = record.Header.unpack(data)
    assert (data[:4], head.version, head.bytes, head.count, head.flags) == (b"HWLO", 1, len(data), len(cases), 1)
    assert (head.class_count, head.class_set) == (klasses.count, klasses.classes.fingerprint)
    for i, case in enumerate(cases):
        packed = record.Case.unpack(data, 32 + record.Case.SIZE * i)
        name, at = packed.name, packed.graph
        assert data[name : data.index(b"\0", name)].decode() == case.graph.name and at % 4 == 0
        assert data[at : at + len(case.graph.words)] == case.graph.words
        wanted = (case.graph.objects, len(case.graph.stream), case.graph.digest, case.graph.header.graph)
        assert (packed.objects, packed.stream_bytes, packed.digest, packed.heap_bytes) == wanted
        assert (packed.engines, packed.warm) == (0b11111, 1)


def test_graphs_that_share_constants_are_no_independent_ones(klasses):
    group = cereal.quick(klasses)
    names = [case.graph.name for case in cereal.cases(group, cereal.MACHINES["cereal-x4"])]
    assert "media" not in names and len(names) == len(group.graphs) - 1
    assert "media" in [case.graph.name for case in cereal.cases(group, cereal.MACHINES["cereal-vanilla"])]


def test_groups(klasses):
    found = cereal.groups(klasses)
    names = [graph.name for group in found for graph in group.graphs]
    assert len(names) == len(set(names)) == 18 + 1 + 6 + 10
    keys = cereal.rows_of_cereal(found)
    many = sum(cereal.has(group, graph, "hw-x4") for group in found for graph in group.graphs)
    assert many == 6 + 6 + 6 + 10, "neither MediaContent nor large graphs"
    of_all, of_captured, of_large = 19 * (5 + 1), 10 * (4 + 1), 6 * 5
    assert len(set(keys)) == len(keys) == 2 * (of_all + of_captured + of_large + 3 * many) + 1, (
        "captured records have no serializer by hand"
    )
    assert [cereal.layouts_of(found[0], engine) for engine in ("java", "hw", "hw-x4")] == [5, 5, 1]


def test_larger_graphs_run_again_in_the_layout_that_suited_the_small_one(klasses):
    def row(case, engine, operation, layout, cycles):
        return {"case": case, "engine": engine, "op": operation, "layout": layout, "cycles": cycles}

    rows = [
        row(case, engine, operation, layout, cycles)
        for case, engine, both in (
            ("tree-wide/585", "java", [(50, 50), (40, 40), (90, 9), (70, 70), (70, 70)]),
            ("tree-wide/585", "kryo-manual", [(30, 30), (40, 20), (50, 50), (50, 50), (29, 30)]),
            ("list-small/512", "java", [(10, 10), (11, 11), (11, 11), (11, 11), (11, 11)]),
            ("tree-wide/585", "hw", [(2, 2), (1, 1), (2, 2), (2, 2), (2, 2)]),
            ("media/1", "java", [(2, 2), (1, 1), (2, 2), (2, 2), (2, 2)]),
        )
        for layout, each in enumerate(both)
        for operation, cycles in zip(cereal.OPERATIONS, each)
    ]
    best = cereal.favourites(rows)
    assert best == {("tree-wide", "java"): 1, ("tree-wide", "kryo-manual"): 4}
    again = [
        (group.name, [graph.name for graph in group.graphs], group.layouts, group.layout, engines)
        for group, engines in cereal.favourite_runs(cereal.groups(klasses), cereal.MACHINES["cereal"], best)
    ]
    assert again == [
        (f"{name} by software in layout {layout}", [name], 1, layout, (engine,))
        for name in ("tree-wide/4681", "tree-wide/37449")
        for layout, engine in ((1, "java"), (4, "kryo-manual"))
    ], "neither the small graph, which has run in all layouts, nor what was fastest in the first"


def test_software_runs_graph_by_graph_and_units_group_by_group(klasses):
    found = cereal.groups(klasses)
    plan = list(cereal.runs(found, cereal.MACHINES["cereal"]))
    assert len({group.name for group, _ in plan}) == len(plan) == 13 + 6 + 1 + 9 + 10 + 1
    by_name = {group.name: (group, engines) for group, engines in plan}
    group, engines = by_name["tree-wide/585 by software"]
    assert (group.layouts, group.warm, engines) == (5, 1, cereal.SOFTWARE)
    group, engines = by_name["small by units"]
    assert (group.layouts, group.warm, engines) == (5, 2, ("hw",))
    assert by_name["tree-wide/37449 by software"][1] == cereal.PEERS and "tree-narrow/32767 by software" not in by_name
    of_units = cereal.cases(by_name["records by units"][0], ("hw",))
    (media,) = [case for case in of_units if case.graph.name == cereal.MEDIA]
    assert media.engines == cereal.BITS["hw"]
    of_many = {group.name: [graph.name for graph in group.graphs] for group, _ in cereal.runs(found, ("hw-x4",))}
    assert cereal.MEDIA not in of_many["records by units"]
    assert set(of_many) == {f"{name} by units" for name in ("small", "records", "captured", "medium")}


row, measured = partial(of_suite, "cereal", "cereal"), partial(bar_of, "cereal")


def test_bars_against_peers():
    cycles = {"java": 3600, "kryo-generic": 1500, "kryo-manual": 1000, "hw": 100, "hw-vanilla": 310}
    found = [row("tree-wide/585", "serialize", engine, took) for engine, took in cycles.items()]
    large = [row("tree-wide/37449", "serialize", engine, 100) for engine in ("java", "hw", "hw-vanilla")]
    assert measured("serialize: times `java`", found + large) == (36, True), "large graphs do not count"
    assert measured("serialize: times the best Kryo", found) == (10, True)
    assert measured("serialize: trees and the dense graph alone, times `java`", found) == (36, True)
    assert measured("serialize: trees and the dense graph alone, times the best Kryo", found) == (10, False)
    assert measured("serialize: times `hw-vanilla`", found) == (3.1, True)
    assert measured("deserialize: times `java`", found) is None
    cycles = {"java": 901, "hw": 100, "hw-vanilla": 100}
    found += [row("list-small/512", "serialize", engine, took) for engine, took in cycles.items()]
    assert measured("serialize: times `java`", found) == ((36 * 9.01) ** 0.5, True)
    assert measured("serialize: times `hw-vanilla`", found) == (3.1, True), "lists do not count"
    assert measured("serialize: trees and the dense graph alone, times `java`", found) == (36, True)
    fitted = [each | {"fitted": each["engine"] == "java"} for each in found]
    assert measured("serialize: times `java`", fitted) is None
    assert measured("serialize: times `java`", [{**each, "ok": False} for each in found]) is None


def test_bar_of_lists_takes_the_longest():
    found = [
        row("list-small/512", "serialize", "hw", 51_200),
        row("list-small/8192", "serialize", "hw", 81_920),
        row("list-large/2048", "serialize", "hw", 47_104),
    ]
    assert measured("serialize: the longest lists", found) == (23, False)
    found.append(row("list-large/32768", "serialize", "hw", 327_680))
    assert measured("serialize: the longest lists", found) == (10, True)


def test_bars_of_the_port():
    found = [
        row("tree-wide/585", "serialize", "hw", 100, moved=400) | {"read_bytes": 9},
        row("list-small/8192", "serialize", "hw", 100, moved=240),
        row("spark-lr/160", "serialize", "hw", 1, moved=16),
        row("tree-wide/585", "serialize", "hw-x4", 100, moved=1600),
        row("tree-wide/585", "deserialize", "hw", 100, moved=480),
    ]
    assert measured("serialize: share of the port", found) == (0.2, False)
    assert measured("deserialize: share of the port, one unit", found) == (0.3, False)
    assert measured("deserialize: share of the port in the best", found) is None
    found.append(row("copy", "copy", "hw", 100, moved=480))
    assert measured("deserialize: share of the port in the best", found) == (1, True)


def test_a_graph_that_fills_the_port_is_left_out_of_the_bar_of_several_units():
    found = [row("copy", "copy", "hw", 100, moved=1000)]
    for case, cycles, moved in (("tree-wide/4681", 50, 400), ("graph-dense/192", 200, 2720), ("tree-wide/585", 100, 0)):
        found += [row(case, "serialize", "hw", 100), row(case, "serialize", "hw-x2", cycles, moved=moved)]
    assert measured("serialize: 2 units", found) == (2, True), (
        "the dense graph moves 85 % of what the copy unit does; small graphs are not asked"
    )
    dense = found[-3]
    dense["dram_read_bytes"] = 1600
    assert measured("serialize: 2 units", found) == (1, False), "what is printed is the mean of what was measured"
    assert measured("serialize: 4 units", found) is None
    dense["dram_read_bytes"] = found[2]["dram_read_bytes"] = 5000
    assert measured("serialize: 2 units", found) == (1.8, True), "all are full"


def test_figures_of_units():
    more = {"busy_cycles": 10, "read_stall_cycles": 1, "dram_read_bytes": 64}
    more |= {"table_stall_cycles": 0, "write_stall_cycles": 0}
    engines = (*cereal.SOFTWARE, *cereal.SCALES.values(), cereal.VANILLA)
    found = [
        row(case, operation, engine, 1000 // (i + 1), moved=160 * i, **more)
        for case in ("tree-narrow/511", cereal.MEDIA, "spark-lr/160")
        for operation in cereal.OPERATIONS
        for i, engine in enumerate(engines)
    ]
    items = [figure.show(Store({"cereal": found})) for figure in [*figures.FIGURES, *units.FIGURES]]
    tables = {(item.number, table.title): table.lines for item in items for table in item.tables}
    sizes = ["tree-narrow/511", "100", "100", "100", "100", "1.00", "1.00", "23.0; 12.0; 16.1", "18.9"]
    assert tables["Table IV", "Bytes"][0] == sizes
    jsbs = {line[0]: line[1:] for line in tables["Figure 12", "Cycles"]}
    assert jsbs["kryo-manual"] == ["333", "333", "666", "1.00", "1.67", "100"]
    assert jsbs["the paper's Cereal"][3] == "15.1"
    several = "tree-narrow/511; serialize; 200; 166; 142; 125; 1.20; 1.41; 1.60; 2 %; 2 %; 3 %; 3 %"
    assert tables["", "Several units"][0] == several.split("; ")
    assert tables["", "Memory"][0][-1] == "200.0"
    assert tables["Figure 15", "Share of the port"][0][:2] == ["spark-lr/160", "serialize"]
    assert [line[0] for line in tables["", "Speed-ups"]] == ["micro", "micro", "jsbs", "jsbs", "spark", "spark"]


def test_cold_cycles_are_those_of_the_layout_that_was_run_cold():
    found = [
        {**row("a", "serialize", "java", cycles), "layout": layout, "cold_cycles": cold}
        for layout, cycles, cold in ((0, 11, 30), (1, 10, 0))
    ]
    (merged,) = rows.merge_layouts(found)
    assert (merged["cycles"], merged["cold_cycles"]) == (10, 30)


def test_layouts_that_write_other_bytes_are_wrong():
    found = [{**row("a", "serialize", "java", 10), "layout": i, "digest": 5} for i in range(2)]
    assert rows.merge_layouts(found)[0]["ok"]
    found[1]["digest"] = 6
    assert not rows.merge_layouts(found)[0]["ok"]


def test_rows_that_are_absent():
    wanted = [("a", "serialize", "hw-x2"), ("a", "serialize", "hw-x4")]
    assert expected.absent(wanted, [row("a", "serialize", "hw-x2", 1)]) == ["a, serialize (hw-x4)"]


def test_sizes_of_graphs(klasses):
    """The report's rows of sizes: metadata take room in every object. Large graphs are only counted."""
    for graph in cereal.groups(klasses)[0].graphs:
        row = graphs.row(graph)
        assert row["object_bytes"] > row["bytes_without_metadata"] > 0
    large, small = graphs.rows({"tree-wide/37449", "tree-wide/585"})[::-1]
    assert large["objects"] > 37449 and "packed_bytes" not in large and small["packed_bytes"] > small["stripped_bytes"]
