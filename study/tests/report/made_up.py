"""Invented rows of every suite. They let a test produce all figures of the report."""

import json
import zlib

from heapwire.measure.rows import complete
from study.bench import heap, skyway, sweep
from study.bench.cereal import MACHINES, SERIES
from study.shuffle import TIMES

GRAPHS = [series.case(size) for series in SERIES for size in series.sizes[:2]]
RECORDS = ["media/1", "spark-nweight/60", "spark-svm/120", "spark-als/600"]
CAPTURED = ["captured-nweight/24", "captured-svm/20", "captured-word-count/64", "captured-page-rank/64"]
WITHOUT = {"media/1": "-x"} | dict.fromkeys(CAPTURED, "kryo-manual")
"""What is in the names of the engines that are not measured on a case."""
SPEED = {
    **{"java": 1.0, "kryo-generic": 1.2, "kryo-manual": 3.5, "cereal-sw": 0.9, "skyway-sw": 3.0, "skyway-hw": 20.0},
    **{"hw-vanilla": 9.0, "hw": 35.0, "hw-x1": 50.0, "hw-x2": 40.0, "hw-x4": 45.0, "hw-x8": 50.0, "hw_nanopb": 20.0},
    **{"nanopb": 1.0, "table": 3.0, "capnp": 12.0, "clone": 2.0, "hw-arenas": 9.0, "hw-buffer": 8.0, "hw-array": 7.0},
    **{"runtime": 9.0, "core": 5.0, "memcpy": 6.0},
}
KINDS = ("int32", "int64", "uint32", "uint64", "float", "double", "string")
SOFTWARE = ("nanopb", "table", "hw")


def dice(*key):
    """Returns a number from 0.8 to 1.2 that depends only on the key."""
    return 0.8 + 0.4 * (zlib.crc32(repr(key).encode()) % 1000) / 1000


def row(suite, case, operation, engine, size, config="default", port=16, **more):
    """Returns a row for a message or graph of `size` bytes."""
    cycles = max(int(size * 60 * dice(suite, case, operation, engine) / SPEED[engine]) + 400, 1)
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


def protobuf(config="default", port=16):
    found = []

    def add(case, engines, size):
        found.extend(both("protobuf", case, engines, size, config=config, port=port))

    for i in range(4):
        add(f"jsbs/media.{i}", (*SOFTWARE, "hw_nanopb", "hw-x1"), 80 * (i + 1))
        add(f"fleetbench/Message0_set0{i}", SOFTWARE, 300 * (i + 1))
        add(f"fields/account of {i}", (*SOFTWARE, "hw-x1"), 500 * (i + 1))
        for bench in range(5):
            add(f"hyperprotobench/bench{bench}/0{i}_hyperprotobench.M{i}", SOFTWARE, 17 * 10**i)
        for clear in ("references", "unasked"):
            case = f"clear {clear}: jsbs/media.{i}"
            found.append(row("protobuf", case, "deserialize", "hw", 80 * (i + 1) - 9, config, port))
    add("demo/field-heavy", SOFTWARE, 2422)
    for size in (17, 256, 4096, 65536, 1 << 20):
        add(f"bytes/{size}", SOFTWARE if size < 1 << 17 else ("hw",), size)
    for size in (0, 16, 4096):
        add(f"string/{size}", SOFTWARE, size + 2)
    for count in (1, 10, 100, 1000, 10_000):
        for kind in KINDS:
            for packing in ("packed", "unpacked") if kind != "string" else ("unpacked",):
                engines = SOFTWARE if count <= 1000 else ("hw",)
                add(f"{kind}_{packing}/{count}", engines, count * (50 if kind == "string" else 5))
        for name in ("ultimaker", "lua_pb_intf") if count <= 1000 else ():
            add(f"{name}/{count}", (*SOFTWARE, "capnp"), count * 16)
    return found


def cereal(port=16):
    found = [row("cereal", "copy", "copy", "hw", 500_000, "cereal", port)]
    for config, names in MACHINES.items():
        for case in (*GRAPHS, *RECORDS, *CAPTURED):
            engines = [name for name in names if case not in WITHOUT or WITHOUT[case] not in name]
            size = 30 * int(case.rpartition("/")[2]) if case in GRAPHS else 2000
            found += both("cereal", case, engines, size, config=config, port=port)
    return found


def skyway_rows():
    found = []
    for case in (*GRAPHS[::2], *RECORDS, *CAPTURED):
        engines = [name for name in skyway.ENGINES if not (case in CAPTURED and name == "kryo-manual")]
        found += both("skyway", case, engines, 15000, config="skyway")
    for program in (f"{name}/{scale}" for name, scale in skyway.SCALES.items()):
        for engine in skyway.ENGINES:
            made = row("skyway", program, "shuffle", engine, 20000, "skyway", phases=1, roots=9, results=7)
            for part, share in zip(TIMES, (0.4, 0.05, 0.2, 0.02, 0.25, 0.02)):
                made[f"{part}_cycles"] = int(made["cycles"] * share * dice(program, engine, part))
            found.append(made)
    return found


def sweep_rows():
    """Returns rows of the suite `sweep`: the engine is the machine."""
    rows = [
        (name, each)
        for name in sweep.MACHINES
        for case in GRAPHS[1::2]
        for each in both("sweep", case, ("hw",), 30_000, config=name)
    ]
    found = [each | {"engine": name, "cycles": int(each["cycles"] * dice(name, each["case"]))} for name, each in rows]
    return [*found, row("sweep", "copy", "copy", "hw", 500_000, config="cereal")]


def heap_rows():
    pauses = ((heap.YOUNG, "young", heap.YOUNG_SIZES), (heap.FULL, "full", heap.FULL_SIZES))
    found = [
        row("heap", f"{name}_pause/{size}", operation, "runtime", size, object_bytes=size)
        for operation, name, sizes in pauses
        for size in sizes
    ]
    tasks = ((heap.END_TO_END, heap.TRAFFIC_ENGINES), ("adopt", heap.ADOPTION_ENGINES), (heap.WAITING, ("hw",)))
    return found + [
        row("heap", f"jsbs/media.{i}", operation, engine, 200, collections=3)
        for i in range(3)
        for operation, engines in tasks
        for engine in engines
    ]


def memory():
    copies = [row("memory", f"copy_64K_bank_offset_{bank}", "copy", "hw", 65536) for bank in range(8)]
    kinds = ("in_flight_1", "in_flight_8", "in_flight_0", "hits_in_flight_1")
    gathers = [row("memory", f"gather_1024_{kind}", "gather", "hw", 1024 * 16) for kind in kinds]
    chases = [row("memory", f"chase_1024_{kind}", "read", "core", 1024) for kind in ("hits", "misses")]
    return [*copies, *gathers, row("memory", "fill_64K", "fill", "hw", 65536), *chases]


def graphs():
    """Returns rows like those that `study.report.graphs` computes."""
    sizes = {"objects": 700, "references": 900, "object_bytes": 24000, "bytes_without_metadata": 18000}
    sizes |= {"plain_bytes": 21000, "packed_bytes": 16000, "stripped_bytes": 13000, "skyway_stream": 72}
    sizes |= {"skyway_headers": 14000, "skyway_pointers": 4000, "skyway_padding": 2000, "skyway_values": 4100}
    cases = (*GRAPHS[::2], *RECORDS, *CAPTURED)
    return [
        complete({"suite": "graphs", "case": case, "op": "size", "engine": "writer", "ok": True} | sizes, "host", 0)
        for case in cases
    ]


def spark():
    """What `make spark` measures; of Bayes no records were measured by units, and of none of these programs by anybody
    in other suites."""
    names = {"suite": "spark", "op": "program", "model": "jvm", "spark": "3", "jvm": "a JVM", "ok": True}
    told = {"input": "9 points", "records": 40_000, "objects": 500_000, "references": 400_000}
    told |= {"wire_bytes": 8_000_000, "runs": 2, "tasks": 30}
    found = []
    for program in ("nweight", "svm", "bayes", "als", "word-count", "page-rank", "triangles"):
        for engine, speed in (("java", 1.0), ("kryo", 0.6)):
            run = int(2e9 * dice("spark", program, engine) * (0.6 + 0.4 * speed))
            shares = (("serialize", 0.15), ("write", 0.04), ("deserialize", 0.25), ("read", 0.05))
            parts = {f"{part}_ns": int(run * share * speed * dice(program, engine, part)) for part, share in shares}
            share = (parts["serialize_ns"] + parts["deserialize_ns"]) / run
            more = {"run_ns": run, "share": share, "heap_bytes": 1 << 31, "cpu": "a processor"}
            found.append(complete({"case": program, "engine": engine} | names | told | parts | more, "jvm", 0))
    return found


def broadcast():
    """Returns rows of JSBS's objects among five machines."""
    more = {f"{part}_cycles": 7000 for part in ("serialize", "network", "deserialize")}
    more |= {"machines": 5, "objects": 3, "byte_cycles": 100}
    return [
        row("broadcast", "media/1x5", "broadcast", engine, 900, "skyway", **more) for engine in ("skyway-hw", "java")
    ]


def files():
    """Returns rows of everything, by the stem of their file."""
    like = {"like-ulx3s": {}, "like-colorlight_i5-stock": {"layouts": 1}}
    core = {
        f"core@{name}-32": [row("core", "read_1024", "read", "core", 1024, name, 4, **more)]
        for name, more in like.items()
    }
    core["core"] = [row("core", f"{case}_1024", case, "core", 1024) for case in ("read", "write", "memcpy")]
    full = [made | {"engine": made["engine"].replace("-x1", "-x2")} for made in protobuf("full")]
    return {
        "protobuf": protobuf(),
        "protobuf@default-64": protobuf(port=8),
        "protobuf@like-ulx3s-32": protobuf("like-ulx3s", 4),
        "protobuf@single-128": protobuf("single"),
        "protobuf@full-128": full,
        "demo": both("demo", "demo/64 KB", ("nanopb", "hw"), 65536),
        "cereal": cereal(),
        "skyway": skyway_rows(),
        "sweep": sweep_rows(),
        "heap": heap_rows(),
        "memory": memory(),
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
