"""The suite `skyway`: its rows, bars and tables, and the results that shuffle programs must find."""

from functools import partial

import pytest

from heapwire.cereal import difference
from heapwire.skyway import read
from study.bench import cereal, skyway
from study.bench.objects import workload
from study.figures import skyway as figures
from study.records import objects as record
from study.report import graphs
from study.report.store import Store
from study.shuffle import TIMES, plain, results, tables
from study.shuffle.plain import digest
from study.tests.bench.bench_rows import bar_of, of_suite

row, measured = partial(of_suite, "skyway", skyway.CONFIG), partial(bar_of, "skyway")


def pair(case, engine, write, read_):
    return [row(case, "serialize", engine, write), row(case, "deserialize", engine, read_)]


def test_bars_are_of_both_ways_together():
    ways = {"kryo-manual": (100, 450), "java": (1000, 5000), "skyway-sw": (300, 200)}
    found = [each for engine, both in ways.items() for each in pair(cereal.MEDIA, engine, *both)]
    assert measured("JSBS MediaContent, `skyway-sw`: times `kryo-manual`", found) == (1.1, True)
    assert measured("JSBS MediaContent, `skyway-sw`: times `java`", found) == (12, True)
    assert measured("JSBS MediaContent, `skyway-hw`", found + pair(cereal.MEDIA, "skyway-hw", 100, 100)) == (2.5, False)
    assert measured("JSBS MediaContent, `skyway-sw`: times `java`", found[:-1]) is None
    assert measured("bulk graphs, `skyway-sw`", found) is None


def test_bar_of_bulk_graphs_leaves_media_and_programs_out():
    found = pair(cereal.MEDIA, "kryo-generic", 1, 1) + pair(cereal.MEDIA, "skyway-sw", 9, 9)
    for case, times in (("list-small/9", 2), ("tree-wide/9", 8)):
        found += pair(case, "kryo-generic", 100 * times, 100 * times) + pair(case, "skyway-sw", 150, 50)
    found.append(row("page-rank/64", skyway.SHUFFLE, "skyway-sw", 1))
    assert measured("bulk graphs, `skyway-sw`", found) == (4, True)
    fitted = [
        each | {"fitted": True}
        for engine, cycles in (("kryo-generic", 9), ("skyway-sw", 1))
        for each in pair("tree-wide/99", engine, cycles, cycles)
    ]
    assert measured("bulk graphs, `skyway-sw`", found + fitted) == (4, True), "what was fitted does not count"
    assert measured("bulk graphs, `skyway-hw`", found) is None
    assert measured("bulk graphs, `skyway-hw`", found + pair("list-small/9", "skyway-hw", 30, 20)) == (4, False)


def test_the_workloads_buffer_is_the_graph(klasses):
    for graph in cereal.quick(klasses).graphs:
        buffer = read(graph.skyway, klasses.registry)
        assert difference(buffer.roots[0], graph.reached[0]) is None
        parts = graphs.parts(graph)
        assert sum(parts.values()) == len(graph.skyway) and parts["padding"] >= 0
        assert sum(parts.values()) - parts["stream"] == graph.heap_bytes


def test_workload_has_the_buffers_digest(klasses):
    cases = cereal.cases(cereal.quick(klasses), skyway.ENGINES)
    data = workload.pack(cases, klasses, record.WorkloadFlags.SKYWAY)
    assert record.Header.unpack(data).flags == record.WorkloadFlags.SKYWAY
    for i, case in enumerate(cases):
        packed = record.Case.unpack(data, record.Header.SIZE + record.Case.SIZE * i)
        assert packed.skyway_bytes == len(case.graph.skyway) and packed.skyway_digest
        assert packed.engines == 0b11011111


@pytest.mark.parametrize("scale", [1, 40, 500])
def test_rows_of_tables_fit_together(scale):
    orders, customers = tables.orders(scale), tables.customers(scale)
    assert all(order.customer < len(customers) for order in orders)
    items = list(tables.items(scale))
    assert {item.order for item in items} == set(range(scale)) and len(items) <= 7 * scale
    for item in items:
        assert orders[item.order].date < item.shipped < item.received < tables.TABLE_DAYS
        assert (item.flag == "N") == (item.received > tables.TABLE_TODAY) and (item.status == "F" or item.flag == "N")
    offers = list(tables.offers(scale))
    assert len({(part, supplier) for part, supplier, _ in offers}) == len(offers) == 4 * tables.part_count(scale)


def test_results_of_queries_by_another_way():
    scale = 200
    orders, items, known = tables.orders(scale), list(tables.items(scale)), tables.suppliers(scale)
    prices, lost = results("query-a", scale), results("query-e", scale)
    shipped = [item for item in items if 0 <= tables.TABLE_TODAY - item.shipped < 120]
    assert sum(value for key, value in prices.items() if key.endswith("/count")) == len(shipped) > 20
    assert {key[:3] for key in prices} == {"A/F", "R/F", "N/F"}
    assert sum(results("query-d", scale).values()) == sum(
        order.date < 365 and any(item.order == order.number and item.committed < item.received for item in items)
        for order in orders
    )
    assert sum(lost.values()) == sum(item.revenue for item in items if item.flag == "R")
    for found in lost, results("query-c", scale):
        assert list(found.values()) == sorted(found.values(), reverse=True) and len(found) > 3
        assert [int(key.partition("/")[0]) for key in found] == list(range(len(found)))
    for key, cost in results("query-b", scale).items():
        part, _, region, name, *_ = key.split("/")
        there = [
            asked
            for number, supplier, asked in tables.offers(scale)
            if number == int(part) and tables.REGIONS[known[supplier].nation % 5] == region
        ]
        assert cost == min(there), name


def test_a_program_that_finds_something_else_is_wrong():
    good = row("triangles/64", skyway.SHUFFLE, "java", 5, digest=digest(results("triangles", 64)))
    assert skyway.checked(good)["ok"] is True
    assert skyway.checked({**good, "digest": good["digest"] ^ 1})["ok"] is False


def test_plain_results_of_a_small_graph():
    graph = plain.undirected(40)
    assert all(vertex in graph[other] and vertex != other for vertex, others in enumerate(graph) for other in others)
    labels = results("components", 40)
    assert all(
        labels[str(vertex)] == labels[str(other)] <= vertex for vertex, others in enumerate(graph) for other in others
    )
    assert sum(results("word-count", 500).values()) == 500
    assert results("triangles", 40)["triangles"] == sum(
        a in graph[b] and b in graph[c] and a in graph[c] for a in range(40) for b in range(a) for c in range(b)
    )


def test_figures():
    found = [
        each
        for i, engine in enumerate(skyway.ENGINES)
        for each in pair("list-small/9", engine, 100 + i, 200) + pair(cereal.MEDIA, engine, 10, 20)
    ]
    more = {"phases": 10, "roots": 4, "results": 1} | {f"{name}_cycles": 100 for name in TIMES}
    found += [
        row(program, skyway.SHUFFLE, engine, 600, **more)
        for program in ("page-rank/64", "query-d/96")
        for engine in skyway.ENGINES
    ]
    items = [figure.show(Store({"skyway": found})) for figure in figures.FIGURES]
    tables = {(item.number or item.title, table.title): table.lines for item in items for table in item.tables}
    bulk = tables["both ways together", "Cycles both ways, and times Java"]
    assert [line[0] for line in bulk] == ["list-small/9", cereal.MEDIA, "bulk graphs, geometric mean of 1"]
    assert bulk[-1][8:] == ["0.984", "0.98", "0.99", "0.99", "0.99", "1.00", "1.00"] and bulk[0][1] == "300"
    split = tables["Figure 8(a)", "Cycles"][0]
    assert split == ["page-rank/64", "java", "600", *["100"] * 6, "100", "33.3 %", "33.3 %", "10", "4"]
    less = tables["Table 2", "Section 5.2: all of the time, geometric means over the programs"]
    assert less[0] == ["skyway-sw over java", "0 %", "+0 %", "36 %", "about as many"] and len(less) == 4
    assert tables["Table 4", "Over kryo-manual"][0][1] == "1.00 to 1.00 (1.00)"
    assert tables["bytes on the wire", "Bytes on the wire"][0][-2:] == ["1.00", "1.00"]


def test_rows(klasses):
    groups = cereal.groups(klasses)
    keys = skyway.rows_of_skyway(groups)
    assert len(set(keys)) == len(keys) == 25 * 2 * 7 + 10 * 2 * 6 + 9 * 7
    assert len(skyway.rows_of_skyway(groups, programs=False)) == 25 * 2 * 7 + 10 * 2 * 6
    alone = [group for group in groups if not group.software]
    assert {engine for *_, engine in skyway.rows_of_skyway(alone, programs=False)} == {cereal.ONE, cereal.SKYWAY_HW}, (
        "without small and medium graphs nothing is fitted"
    )
