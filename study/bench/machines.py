"""The machines of the suites that have machines of their own. `python -m study.bench.machines SUITE` prints their
configurations, for make."""

from __future__ import annotations

import sys

from study.bench import cereal, skyway, sweep

OF_SUITE: dict[str, tuple[str, ...]] = {
    "cereal": tuple(cereal.MACHINES),
    "skyway": (cereal.FIRST, skyway.CONFIG),
    "sweep": sweep.MACHINES,
}

if __name__ == "__main__":
    print(*OF_SUITE[sys.argv[1]])
