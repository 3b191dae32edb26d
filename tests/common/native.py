"""Cases of nanopb's C structs."""

from __future__ import annotations

import dataclasses

from tests.common import cases


@dataclasses.dataclass(frozen=True)
class NativeCase(cases.Case):
    """A case: bytes of a type by its C name, to be decoded, or the struct that nanopb makes of them, to be encoded
    (`write`). A non-zero `choice` spoils that struct (tests/nanopb/host/spoil.h). defines: the definitions with which
    nanopb is compiled."""

    proto: str
    options: str
    defines: str
    write: bool
    choice: int = 0
