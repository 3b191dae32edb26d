"""Made-up rows of every suite. They let a test produce all figures of the report. Their cases and engines are those
that the benches declare; only cycles and bytes are invented."""

import json
import os
import tempfile
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from heapwire.measure.rows import complete
from heapwire.workload.group import FLIGHT
from study.bench import cases, cereal, expected, heap, rpc, skyway, sweep
from study.bench.objects.captured import CASE
from study.report.spark import STAND_IN
from study.shuffle import TIMES

REAL = {
    "jsbs": ("schema.binpb", ["MediaContent"], [(f"media.{i}.pb", 80 * (i + 1)) for i in range(4)]),
    "fleetbench": ("Message0.binpb", ["Message0"], [(f"Message0_set0{i}.bin", 300 * (i + 1)) for i in range(4)]),
    **{
        f"hyperprotobench/bench{bench}": (
            "schema.binpb",
            ["hyperprotobench.M1", "hyperprotobench.M25"],
            [(f"0{i}_hyperprotobench.M{name}.bin", 17 * 10 ** (2 * i)) for i, name in enumerate((1, 25))],
        )
        for bench in (0, 1, 4)
    },
}
"""Real messages by their folder, as study/docs/suites.md has it: the schema's file, types, files and their bytes."""
LACKING = ("bayes", "lr", "terasort", "components", "triangles")
"""Spark's programs without records on the simulated machine."""


def captured(program):
    """Returns the case of a program's records that Spark serialized."""
    return next(name for name in NAMES if name.startswith(f"{CASE}{program}/"))


def _write_real(folder):
    for name, (schema, types, files) in REAL.items():
        (folder / name).mkdir(parents=True)
        found = FileDescriptorSet()
        for package in {each.rpartition(".")[0] for each in types}:
            file = found.file.add(name="real.proto", package=package)
            for each in types:
                file.message_type.add(name=each.rpartition(".")[2])
        (folder / name / schema).write_bytes(found.SerializeToString())
        for file, size in files:
            (folder / name / file).write_bytes(bytes(size))


@cache
def groups():
    """Returns the groups of the suites `protobuf` and `heap`, with real messages."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, HEAPWIRE_DATA=folder):
        _write_real(Path(folder))
        return [*map(cases.by_fields, cases.groups())], heap.heap_groups()


def _of_objects():
    """Returns the groups of graphs that are measured: small, medium, and records of some programs."""

    def there(graph):
        program = graph.name.partition("/")[0].removeprefix(CASE).removeprefix(STAND_IN)
        return program not in LACKING and graph.name.partition("/")[0] != f"{CASE}als"

    found = [group for group in cereal.groups(None) if not group.name.startswith("large")]
    return [replace(group, graphs=tuple(filter(there, group.graphs))) for group in found]


OBJECTS = _of_objects()
GRAPHS = [series.case(size) for series in cereal.SERIES for size in series.sizes[:2]]
NAMES = [graph.name for group in OBJECTS for graph in group.graphs]
SPEED = {
    **{"java": 1.0, "kryo-generic": 1.2, "kryo-manual": 3.5, "cereal-sw": 0.9, "skyway-sw": 3.0, "skyway-hw": 20.0},
    **{"hw-vanilla": 9.0, "hw": 35.0, "hw-x1": 50.0, "hw-x2": 40.0, "hw-x4": 45.0, "hw-x8": 50.0, "hw_nanopb": 20.0},
    **{"nanopb": 1.0, "table": 3.0, "upb": 2.0, "upb-alias": 4.0, "fields": 7.0, "capnp": 12.0, "clone": 2.0},
    **{"hw-arenas": 9.0, "hw-buffer": 8.0, "hw-array": 7.0},
    **{"runtime": 9.0, "core": 5.0, "memcpy": 6.0},
}


def dice(*key):
    """Returns a number from 0.8 to 1.2 that depends only on the key."""
    return 0.8 + 0.4 * (zlib.crc32(repr(key).encode()) % 1000) / 1000


def row(suite, case, operation, engine, size, config="default", port=16, **more):
    """Returns a row for a message or graph of `size` bytes."""
    cycles = max(int(size * 60 * dice(suite, case, operation, engine) / SPEED.get(engine, 4.0)) + 400, 1)
    unit = engine.startswith(("hw", "skyway-hw"))
    shares = {"busy": 0.8, "read_stall": 0.3, "table_stall": 0.1, "write_stall": 0.1}
    names = {"suite": suite, "case": case, "op": operation, "engine": engine, "model": "managed"}
    counts = {"cycles": cycles, "instret": int(cycles * 0.6), "layouts": 5, "ok": True, "cold_cycles": cycles + 300}
    sizes = {"wire_bytes": size, "object_bytes": 3 * size, "read_bytes": size * unit, "write_bytes": 3 * size * unit}
    dram = {"dram_read_bytes": size * 2, "dram_write_bytes": size}
    busy = {f"{name}_cycles": int(cycles * share) for name, share in shares.items() if unit}
    return complete(names | counts | sizes | dram | busy | more, config, port)


def both(suite, case, engines, size, **more):
    ways = ("deserialize", "serialize")
    return [row(suite, case, operation, engine, size, **more) for operation in ways for engine in engines]


def protobuf(config="default", port=16, only=None):
    """only: the groups whose cases have this engine."""
    found = [group for group in groups()[0] if only is None or any(only in case.engines for case in group.cases)]
    sizes = {(case.name, engine): len(case.data) for group in found for case in group.cases for engine in case.engines}
    return [
        row(
            *("protobuf", case, op, f"{engine}1" if engine == expected.MANY else engine),
            *(sizes[case, FLIGHT if engine == expected.MANY else engine], config, port),
        )
        for case, op, engine in expected.rows_of("protobuf", found)
    ]


def _bytes_of(case):
    return 30 * int(case.rpartition("/")[2]) if case in GRAPHS else 2000


def cereal_rows(port=16):
    found = [row("cereal", *cereal.COPY, 500_000, "cereal", port)]
    for config, engines in cereal.MACHINES.items():
        keys = cereal.keys_of(OBJECTS, engines)
        found += [row("cereal", case, op, engine, _bytes_of(case), config, port) for case, op, engine in keys]
    return found


def skyway_rows():
    found = []
    for case, op, engine in skyway.rows_of_skyway(OBJECTS):
        made = row("skyway", case, op, engine, 15000, "skyway")
        if op == skyway.SHUFFLE:
            made |= {"phases": 1, "roots": 9, "results": 7}
            for part, share in zip(TIMES, (0.4, 0.05, 0.2, 0.02, 0.25, 0.02)):
                made[f"{part}_cycles"] = int(made["cycles"] * share * dice(case, engine, part))
        found.append(made)
    return found


def sweep_rows():
    """Returns rows of the suite `sweep`: the engine is the machine."""
    found = [
        row("sweep", case, op, "hw", 30_000, config=name)
        | {"engine": name, "cycles": int(1_000_000 * dice(name, case, op))}
        for case, op, name in sweep.rows_of_sweep(sweep.graphs())
    ]
    return [*found, row("sweep", *cereal.COPY, 500_000, config="cereal")]


def heap_rows():
    found = []
    for case, op, engine in heap.rows_of_heap(groups()[1]):
        size = int(case.rpartition("/")[2]) if op in (heap.YOUNG, heap.FULL) else 200
        found.append(row("heap", case, op, engine, size, object_bytes=size, collections=3))
    return found


def memory():
    return [row("memory", *key, 65536 if key[1] != "gather" else 1024 * 16) for key in expected.rows_of("memory", [])]


def graphs():
    """Returns rows like those that `study.report.graphs` computes."""
    sizes = {"objects": 700, "references": 900, "object_bytes": 24000, "bytes_without_metadata": 18000}
    sizes |= {"plain_bytes": 21000, "packed_bytes": 16000, "stripped_bytes": 13000, "skyway_stream": 72}
    sizes |= {"skyway_headers": 14000, "skyway_pointers": 4000, "skyway_padding": 2000, "skyway_values": 4100}
    return [
        complete({"suite": "graphs", "case": case, "op": "size", "engine": "writer", "ok": True} | sizes, "host", 0)
        for case in NAMES
    ]


def spark():
    """What `make spark` measures; of Bayes no records were measured by units, and of none of these programs by anybody
    in other suites."""
    names = {"suite": "spark", "op": "program", "model": "jvm", "spark": "3", "jvm": "a JVM", "ok": True}
    told = {"input": "9 points", "records": 40_000, "objects": 500_000, "references": 400_000}
    told |= {"wire_bytes": 8_000_000, "runs": 2, "tasks": 30, "heap_bytes": 1 << 31, "cpu": "a processor"}
    shares = (("serialize", 0.15), ("write", 0.04), ("deserialize", 0.25), ("read", 0.05))
    found = []
    for program in ("nweight", "svm", "bayes", "als", "word-count", "page-rank", "triangles"):
        for engine, speed in (("java", 1.0), ("kryo", 0.6)):
            parts = {f"{part}_ns": int(2e9 * share * speed * dice(program, engine, part)) for part, share in shares}
            parts["computation_ns"] = int(1e9 * dice("spark", program)) + (3_000_000 if engine == "kryo" else 0)
            run = sum(parts.values())
            share = (parts["serialize_ns"] + parts["deserialize_ns"]) / run
            more = {"run_ns": run, "share": share}
            found.append(complete({"case": program, "engine": engine} | names | told | parts | more, "jvm", 0))
    return found


def broadcast():
    """Returns rows of JSBS's objects among five machines."""
    more = {f"{part}_cycles": 7000 for part in ("serialize", "network", "deserialize")}
    more |= {"machines": 5, "objects": 3, "byte_cycles": 100}
    return [
        row("broadcast", "media/1x5", "broadcast", engine, 900, "skyway", **more) for engine in ("skyway-hw", "java")
    ]


def remote_calls():
    return [
        row("rpc", f"echo/{size}", op, engine, size, "like-ecpix5-eth")
        for size in (49, 254, 1406)
        for op in rpc.OPERATIONS
        for engine in (each.name for each in rpc.ENGINES)
    ]


def files():
    """Returns rows of everything, by the stem of their file."""
    like = {"like-ulx3s": {}, "like-colorlight_i5-stock": {"layouts": 1}}
    core = {
        f"core@{name}-32": [row("core", "read_1024", "read", "core", 1024, name, 4, **more)]
        for name, more in like.items()
    }
    core["core"] = [row("core", *key, 1024) for key in expected.rows_of("core", [])]
    full = [made | {"engine": made["engine"].replace("-x1", "-x2")} for made in protobuf("full", only=FLIGHT)]
    return {
        "protobuf": protobuf(),
        "protobuf@default-64": protobuf(port=8),
        "protobuf@like-ulx3s-32": protobuf("like-ulx3s", 4, FLIGHT),
        "protobuf@single-128": protobuf("single", only=FLIGHT),
        "protobuf@full-128": full,
        "demo": both("demo", "demo/64 KB", ("nanopb", "table", "hw"), 65536),
        "cereal": cereal_rows(),
        "skyway": skyway_rows(),
        "sweep": sweep_rows(),
        "heap": heap_rows(),
        "memory": memory(),
        "rpc": remote_calls(),
        "graphs": graphs(),
        "spark": spark(),
        "broadcast": broadcast(),
        **core,
    }


def area():
    def total(lut):
        of_ecp5 = {"ecp5.LUT": lut, "ecp5.FF": lut // 2, "ecp5.BRAM": 3}
        return of_ecp5 | {"gowin.LUT": lut, "kGE": lut / 100, "memory bits": 1000.0}

    sizes = {"SerializationUnit": 17000, "DeserializationUnit": 15000, "ClaimTable": 1600, "Reconstructor": 900}
    sizes |= {"Engine": 9000, "Cpu": 4600, "HeapwireCluster": 45000}
    children = {"SerializationUnit": {"ClaimTable": 1}, "DeserializationUnit": {"Reconstructor": 4}}
    modules = {name: {"total": total(lut), "children": children.get(name, {})} for name, lut in sizes.items()}
    return {"config": "made-up", "top": "HeapwireCluster", "flat": total(40000), "modules": modules}


def write(folder, only=None):
    """Writes the rows and areas as benches and `make area` do. Returns the folders of both. only: the stems of the
    files."""
    bench, areas = folder / "bench", folder / "area"
    bench.mkdir(parents=True)
    for stem, rows in files().items():
        if only is None or stem in only:
            (bench / f"{stem}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    for machine in ("cereal-128", "default-128") if only is None else ():
        (areas / machine).mkdir(parents=True)
        (areas / machine / "area.json").write_text(json.dumps(area()))
    return bench, areas
