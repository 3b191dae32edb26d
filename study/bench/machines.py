"""The machines of suites. `python -m study.bench.machines [SUITE]...` prints their variables, for make, with commas
for blanks: first the configuration of the environment, on which most suites run, then those of the suites that have
machines of their own."""

import os
import sys

from study.bench import cereal, rpc, skyway, sweep

OF_SUITE: dict[str, tuple[str, ...]] = {
    "cereal": tuple(cereal.MACHINES),
    "skyway": (cereal.FIRST, skyway.CONFIG),
    "sweep": sweep.MACHINES,
}


def configurations(suites: list[str]) -> list[str]:
    """Returns the configurations that suites (none: all) run on."""
    shared = not suites or any(suite not in (*OF_SUITE, rpc.SUITE) for suite in suites)
    own = [config for suite in suites or OF_SUITE for config in OF_SUITE.get(suite, ())]
    return list(dict.fromkeys([os.environ.get("CONFIG") or "default"] * shared + own))


def variables(suites: list[str]) -> list[str]:
    """Returns the machines of suites (none: all) as variables of make."""
    boards = [f"LIKE={like},ETHERNET=1" for like in rpc.machines()] if rpc.SUITE in suites else []
    return [*(f"CONFIG={config}" for config in configurations(suites)), *boards]


if __name__ == "__main__":
    print(*variables(sys.argv[1:]))
