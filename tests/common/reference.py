"""How a command on some bytes ends if arenas are large enough: as the model says (heapwire.model)."""

from __future__ import annotations

from functools import lru_cache
from mmap import mmap

from heapwire import interface as interface_module
from heapwire.heap import Region, Runtime, model_runtime
from heapwire.model import Deserializer
from heapwire.schema import Schema, compile_schema
from heapwire.wire import Input

FIXED, FLEXIBLE, SCHEMA, KLASSES = (place << 24 for place in range(1, 5))


@lru_cache(maxsize=4)
def _runtime(schema: Schema) -> Runtime:
    interface = interface_module.load()
    compiled = compile_schema([schema.descriptor(name) for name in schema.type_names()], interface)
    return model_runtime(interface, compiled, SCHEMA, KLASSES)


def arenas(fixed: int = FIXED, flexible: int = FLEXIBLE) -> tuple[Region, Region]:
    """Returns two empty arenas of 1 MB at these addresses, of which only the pages that are written take memory."""
    return Region("fixed", fixed, mmap(-1, 1 << 20)), Region("flexible", flexible, mmap(-1, 1 << 20))


class Reference:
    """How a unit ends a message of the type: `status` and `offset`, for OK the input's length; both are `ends`.
    used: bytes of the fuller arena. max_depth: 0 means the limit of units and drivers."""

    def __init__(self, schema: Schema, name: str, data: bytes, max_depth: int = 0) -> None:
        runtime, source = _runtime(schema), Input(data)
        made = Deserializer(runtime, *arenas(), max_depth, as_unit=True).run(source, runtime.schema.index(name))
        self.status, self.offset = made.status, len(data) if made.status == "OK" else made.offset
        self.ends = self.status, self.offset
        self.used = max(made.fixed_top - FIXED, made.flexible_top - FLEXIBLE)
