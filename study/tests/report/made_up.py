"""Invented rows of every suite. They let a test produce all figures of the report."""

import json
import zlib

from heapwire.measure.rows import complete
from study.bench.heap import (
    ADOPTION_ENGINES,
    END_TO_END,
    FULL,
    FULL_SIZES,
    TRAFFIC_ENGINES,
    WAITING,
    YOUNG,
    YOUNG_SIZES,
)
from study.bench.skyway import SCALES
from study.bench.sweep import MACHINES as SWEEP
from study.shuffle import TIMES

GRAPHS = [
    f"{shape}/{nodes}"
    for shape, sizes in {
        "tree-narrow": (511, 4095),
        "tree-wide": (585, 4681),
        "list-small": (512, 4096),
        "list-large": (2048, 16384),
        "graph-sparse": (512, 2048),
        "graph-dense": (64, 192),
    }.items()
    for nodes in sizes
]
RECORDS = ["media/1", "spark-nweight/60", "spark-svm/120", "spark-als/600"]
CAPTURED = ["captured-nweight/24", "captured-svm/20", "captured-word-count/64", "captured-page-rank/64"]
SPEED = {
    "java": 1.0,
    "kryo-generic": 1.2,
    "kryo-manual": 3.5,
    "cereal-sw": 0.9,
    "skyway-sw": 3.0,
    "skyway-hw": 20.0,
    "hw-vanilla": 9.0,
    "hw": 35.0,
    "hw-x2": 40.0,
    "hw-x4": 45.0,
    "hw-x8": 50.0,
    "nanopb": 1.0,
    "table": 3.0,
    "capnp": 12.0,
    "hw_nanopb": 20.0,
    "hw-x1": 50.0,
    "clone": 2.0,
    "hw-arenas": 9.0,
    "hw-buffer": 8.0,
    "hw-array": 7.0,
    "runtime": 9.0,
    "core": 5.0,
    "memcpy": 6.0,
}
KINDS = ("int32", "int64", "uint32", "uint64", "float", "double", "string")


def dice(*key):
    """Returns a number from 0.8 to 1.2 that depends only on the key."""
    return 0.8 + 0.4 * (zlib.crc32(repr(key).encode()) % 1000) / 1000


def row(suite, case, operation, engine, size, config="default", port=16, **more):
    """Returns a row for a message or graph of `size` bytes."""
    cycles = max(int(size * 60 * dice(suite, case, operation, engine) / SPEED[engine]) + 400, 1)
    unit = engine.startswith(("hw", "skyway-hw"))
    busy = (
        {
            "busy_cycles": int(cycles * 0.8),
            "read_stall_cycles": int(cycles * 0.3),
            "table_stall_cycles": int(cycles * 0.1),
            "write_stall_cycles": int(cycles * 0.1),
        }
        if unit
        else {}
    )
    return complete(
        {
            "suite": suite,
            "case": case,
            "op": operation,
            "engine": engine,
            "model": "managed",
            "cycles": cycles,
            "instret": int(cycles * 0.6),
            "wire_bytes": size,
            "object_bytes": 3 * size,
            "read_bytes": size if unit else 0,
            "write_bytes": 3 * size if unit else 0,
            "layouts": 5,
            "ok": True,
            "cold_cycles": cycles + 300,
            "dram_read_bytes": size * 2,
            "dram_write_bytes": size,
            **busy,
            **more,
        },
        config,
        port,
    )


def both(suite, case, engines, size, **more):
    """Returns rows of both directions."""
    return [
        row(suite, case, operation, engine, size, **more)
        for operation in ("deserialize", "serialize")
        for engine in engines
    ]


def protobuf(config="default", port=16):
    """Returns rows of the suite `protobuf`."""
    found, software = [], ("nanopb", "table", "hw")
    for i in range(4):
        found += both(
            "protobuf", f"jsbs/media.{i}", (*software, "hw_nanopb", "hw-x1"), 80 * (i + 1), config=config, port=port
        )
        found += both("protobuf", f"fleetbench/Message0_set0{i}", software, 300 * (i + 1), config=config, port=port)
        found += both(
            "protobuf", f"fields/account of {i}", (*software, "hw-x1"), 500 * (i + 1), config=config, port=port
        )
        for bench in range(5):
            found += both(
                "protobuf",
                f"hyperprotobench/bench{bench}/0{i}_hyperprotobench.M{i}",
                software,
                17 * 10**i,
                config=config,
                port=port,
            )
        for clear in ("references", "unasked"):
            found += [
                row(
                    "protobuf",
                    f"clear {clear}: jsbs/media.{i}",
                    "deserialize",
                    "hw",
                    80 * (i + 1) - 9,
                    config=config,
                    port=port,
                )
            ]
    for size in (17, 256, 4096, 65536, 1 << 20):
        found += both(
            "protobuf", f"bytes/{size}", software if size < 1 << 17 else ("hw",), size, config=config, port=port
        )
    for size in (0, 16, 4096):
        found += both("protobuf", f"string/{size}", software, size + 2, config=config, port=port)
    for count in (1, 10, 100, 1000, 10_000):
        for kind in KINDS:
            for packing in ("packed", "unpacked") if kind != "string" else ("unpacked",):
                found += both(
                    "protobuf",
                    f"{kind}_{packing}/{count}",
                    software if count <= 1000 else ("hw",),
                    count * (50 if kind == "string" else 5),
                    config=config,
                    port=port,
                )
        if count <= 1000:
            for name in ("ultimaker", "lua_pb_intf"):
                found += both("protobuf", f"{name}/{count}", (*software, "capnp"), count * 16, config=config, port=port)
    return found


def cereal(port=16):
    """Returns rows of the suite `cereal`."""
    engines = {
        "cereal": ("java", "kryo-generic", "kryo-manual", "cereal-sw", "hw"),
        "cereal-vanilla": ("hw-vanilla",),
        "cereal-x2": ("hw-x2",),
        "cereal-x4": ("hw-x4",),
        "cereal-x8": ("hw-x8",),
    }
    found = [
        made
        for config, names in engines.items()
        for case in (*GRAPHS, *RECORDS)
        for engine in names
        if not (case == "media/1" and "-x" in engine)
        for made in both(
            "cereal",
            case,
            (engine,),
            30 * int(case.rpartition("/")[2]) if case in GRAPHS else 2000,
            config=config,
            port=port,
        )
    ]
    found += [
        made
        for config, names in engines.items()
        for case in CAPTURED
        for engine in names
        if engine != "kryo-manual"
        for made in both("cereal", case, (engine,), 2000, config=config, port=port)
    ]
    return [*found, row("cereal", "copy", "copy", "hw", 500_000, config="cereal", port=port)]


def skyway():
    """Returns rows of the suite `skyway`."""
    engines = ("java", "kryo-generic", "kryo-manual", "cereal-sw", "hw", "skyway-sw", "skyway-hw")
    found = [
        made for case in (*GRAPHS[::2], *RECORDS) for made in both("skyway", case, engines, 15000, config="skyway")
    ]
    found += [
        made
        for case in CAPTURED
        for made in both(
            "skyway", case, tuple(engine for engine in engines if engine != "kryo-manual"), 15000, config="skyway"
        )
    ]
    for program in (f"{name}/{scale}" for name, scale in SCALES.items()):
        for engine in engines:
            made = row("skyway", program, "shuffle", engine, 20000, config="skyway")
            parts = {
                f"{name}_cycles": int(made["cycles"] * share * dice(program, engine, name))
                for name, share in zip(TIMES, (0.4, 0.05, 0.2, 0.02, 0.25, 0.02))
            }
            found.append(made | parts | {"phases": 1, "roots": 9, "results": 7})
    return found


def sweep():
    """Returns rows of the suite `sweep`: the engine is the machine."""
    found = [
        made | {"engine": name, "cycles": int(made["cycles"] * dice(name, made["case"]))}
        for name in SWEEP
        for case in GRAPHS[1::2]
        for made in both("sweep", case, ("hw",), 30_000, config=name)
    ]
    return [*found, row("sweep", "copy", "copy", "hw", 500_000, config="cereal")]


def heap():
    """Returns rows of the suite `heap`."""
    found = [
        row("heap", f"young_pause/{size}", YOUNG, "runtime", size, object_bytes=size) | {"object_bytes": size}
        for size in YOUNG_SIZES
    ]
    found += [row("heap", f"full_pause/{size}", FULL, "runtime", size) | {"object_bytes": size} for size in FULL_SIZES]
    for i in range(3):
        found += [
            row("heap", f"jsbs/media.{i}", operation, engine, 200) | {"collections": 3}
            for operation, engines in ((END_TO_END, TRAFFIC_ENGINES), ("adopt", ADOPTION_ENGINES), (WAITING, ("hw",)))
            for engine in engines
        ]
    return found


def memory():
    """Returns rows of the suite `memory`."""
    copies = [row("memory", f"copy_64K_bank_offset_{bank}", "copy", "hw", 65536) for bank in range(8)]
    return [*copies, *(row("memory", f"gather_1024_in_flight_{n}", "gather", "hw", 1024 * 16) for n in (1, 8, 0))]


def graphs():
    """Returns rows like those that `study.report.graphs` computes."""
    return [
        {
            "suite": "graphs",
            "case": case,
            "op": "size",
            "engine": "writer",
            "model": "managed",
            "cycles": 0,
            "config": "host",
            "port_bytes_per_cycle": 0,
            "ok": True,
            "objects": 700,
            "references": 900,
            "object_bytes": 24000,
            "bytes_without_metadata": 18000,
            "plain_bytes": 21000,
            "packed_bytes": 16000,
            "stripped_bytes": 13000,
            "skyway_headers": 14000,
            "skyway_pointers": 4000,
            "skyway_padding": 2000,
            "skyway_values": 4100,
            "skyway_stream": 72,
        }
        for case in (*GRAPHS[::2], *RECORDS, *CAPTURED)
    ]


def spark():
    """What `make spark` measures; of Bayes no records were measured by units, and of none of these programs by anybody
    in other suites."""
    found = []
    for program in ("nweight", "svm", "bayes", "als", "word-count", "page-rank", "triangles"):
        for engine, speed in (("java", 1.0), ("kryo", 0.6)):
            run = int(2e9 * dice("spark", program, engine) * (0.6 + 0.4 * speed))
            parts = {
                f"{part}_ns": int(run * share * speed * dice(program, engine, part))
                for part, share in (("serialize", 0.15), ("write", 0.04), ("deserialize", 0.25), ("read", 0.05))
            }
            found.append(
                complete(
                    {
                        "suite": "spark",
                        "case": program,
                        "op": "program",
                        "engine": engine,
                        "model": "jvm",
                        "wire_bytes": 8_000_000,
                        "ok": True,
                        "runs": 2,
                        "tasks": 30,
                        "run_ns": run,
                        **parts,
                        "collection_ns": 10_000_000,
                        "share": (parts["serialize_ns"] + parts["deserialize_ns"]) / run,
                        "input": "9 points",
                        "inputs": 9,
                        "records": 40_000,
                        "objects": 500_000,
                        "references": 400_000,
                        "spark": "3",
                        "jvm": "a JVM",
                        "heap_bytes": 1 << 31,
                        "cpu": "a processor",
                    },
                    "jvm",
                    0,
                )
            )
    return found


def files():
    """Returns rows of everything, by the stem of their file."""
    return {
        "protobuf": protobuf(),
        "protobuf@default-64": protobuf(port=8),
        "protobuf@like-ulx3s-32": protobuf("like-ulx3s", 4),
        "cereal": cereal(),
        "skyway": skyway(),
        "sweep": sweep(),
        "heap": heap(),
        "memory": memory(),
        "graphs": graphs(),
        "spark": spark(),
        "core@like-ulx3s-32": [row("core", "read_1024", "read", "core", 1024, "like-ulx3s", 4)],
        "core@like-colorlight_i5-stock-32": [
            row("core", "read_1024", "read", "core", 1024, "like-colorlight_i5-stock", 4, layouts=1)
        ],
        "protobuf@single-128": protobuf("single"),
        "protobuf@full-128": [
            made | {"engine": "hw-x2" if made["engine"] == "hw-x1" else made["engine"]} for made in protobuf("full")
        ],
    }


def area():
    """Returns the area of a small cluster."""

    def total(lut):
        return {
            "ecp5.LUT": lut,
            "ecp5.FF": lut // 2,
            "ecp5.BRAM": 3,
            "gowin.LUT": lut,
            "kGE": lut / 100,
            "memory bits": 1000.0,
        }

    sizes = {
        "SerializationUnit": 17000,
        "DeserializationUnit": 15000,
        "ClaimTable": 1600,
        "Reconstructor": 900,
        "Engine": 9000,
        "Cpu": 4600,
        "HeapwireCluster": 45000,
    }
    children = {"SerializationUnit": {"ClaimTable": 1}, "DeserializationUnit": {"Reconstructor": 4}}
    return {
        "config": "made-up",
        "top": "HeapwireCluster",
        "flat": total(40000),
        "modules": {
            name: {"total": total(lut), "own": total(lut // 2), "children": children.get(name, {})}
            for name, lut in sizes.items()
        },
    }


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
