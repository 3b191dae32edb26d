"""Made-up rows of a bench."""


def row(case="s/1", engine="hw", cycles=100, layout=0, ok=True, **more):
    return {
        "suite": "protobuf",
        "case": case,
        "op": "deserialize",
        "engine": engine,
        "model": "managed",
        "cycles": cycles,
        "wire_bytes": 10,
        "layout": layout,
        "ok": ok,
        **more,
    }
