"""Cases of nanopb's C structs."""
from __future__ import annotations

import dataclasses

from tests.common import cases


@dataclasses.dataclass(frozen=True)
class NativeCase(cases.Case):
    """Bytes of a type by its C name, to be decoded, or the struct that nanopb makes of them, to be encoded (`write`), spoilt by
    `choice` if that is not 0 (tests/nanopb/host/spoil.h). defines: what nanopb is compiled with."""

    proto: str
    options: str
    defines: str
    write: bool
    choice: int = 0
