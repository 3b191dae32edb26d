"""WriteGuard (accel/src/heapwire/memory): its rules (write_guard.sv) hold in the Verilog that `make verilog` writes, at
each width and for ever, and without any one condition of the guard a rule breaks. docs/reference/proofs.md."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from base.repository import ROOT

FOLDER = ROOT / "build" / "proofs"
RULES = Path(__file__).with_name("write_guard.sv")
CLUSTERS = [("default", 128), ("default", 64), ("tiny", 32)]


OF_A_RANGE = {"behindBase": 1, "beforeLimit": 1, "first": 0, "last": 0}
CONDITIONS = {"isPut": 1, "isSwap": 0, "isLast": 0, "refused": 0, "violation": 0, "io_up_ready": 1, "io_down_valid": 1}
"""Conditions of the guard, for each of its ranges and for itself, and the value that takes each away."""
CYCLES = 5
"""In so many cycles after a reset a guard without one of its conditions breaks a rule."""


@dataclass(frozen=True)
class Guard:
    """A module of a cluster, alone in a file of Yosys, and the macros that write_guard.sv wants of it."""

    name: str
    file: Path
    ranges: int
    macros: str


def run(command, folder):
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def yosys(script, folder):
    done = run(["yosys", "-q", "-p", script], folder)
    assert not done.returncode, done.stdout


def guard_of(name, folder):
    yosys(f"read_rtlil guards.il; hierarchy -top {name}; proc; write_rtlil {name}.il; write_json {name}.json", folder)
    ports = json.loads((folder / f"{name}.json").read_text())["modules"][name]["ports"]
    ranges = sum(port.endswith("_base") for port in ports)
    connected = ",".join(
        f".io_ranges_{i}_{end}({end}[{32 * i + 31}:{32 * i}])" for i in range(ranges) for end in ("base", "limit")
    )
    sizes = {"BYTES": "io_up_payload_mask", "SOURCE": "io_up_payload_source"}
    macros = {key: len(ports[port]["bits"]) for key, port in sizes.items()}
    macros |= {"GUARD": name, "RANGES": ranges, "ALL_RANGES": connected}
    return Guard(name, folder / f"{name}.il", ranges, " ".join(f"-D{key}={value}" for key, value in macros.items()))


@pytest.fixture(scope="session", params=CLUSTERS, ids=lambda cluster: f"{cluster[0]}-{cluster[1]}")
def guards(request):
    """Generates a cluster. Returns its guards, one for each shape."""
    config, width = request.param
    folder = FOLDER / f"{config}-{width}"
    generate = ["--config", config, "--data-width", str(width), "--output", str(folder)]
    done = run([ROOT / "make" / "scala", "heapwire.core.Generate", *generate], folder)
    assert not done.returncode, done.stdout
    yosys(
        "read_verilog -DSYNTHESIS HeapwireCluster.v; select -write guards WriteGuard WriteGuard_*;"
        "write_rtlil -selected guards.il",
        folder,
    )
    return [guard_of(name, folder) for name in (folder / "guards").read_text().split()]


def holds(guard, induction, instead=""):
    """Returns whether Yosys proves the rules: by induction, or for the cycles after a reset.

    instead: a command of Yosys that changes the guard before."""
    kept = {name: name for name in ("allowed", "beat", "held_payload_mask")}
    for name in OF_A_RANGE:
        kept |= {f"{name}[{i}]": f"places_{i}_{name}" for i in range(guard.ranges)}
    script = [
        f"read_rtlil {guard.file.name}",
        f"read_verilog -sv -formal {'-DINDUCTION' * induction} {guard.macros} {RULES}",
        "hierarchy -top rules; proc; flatten",
        instead,
        *(f"connect -set guard_{port} \\dut.{wire}" for port, wire in kept.items()),
        "prep -top rules; async2sync; dffunmap",
        f"sat -tempinduct{'' if induction else '-baseonly'} -maxsteps {1 if induction else CYCLES} -set-assumes "
        "-prove-asserts rules",
    ]
    (guard.file.parent / f"{guard.name}.ys").write_text("\n".join(script))
    log = run(["yosys", f"{guard.name}.ys"], guard.file.parent).stdout
    assert "SUCCESS!" in log or "FAIL!" in log or "proof failed" in log, log
    return "SUCCESS!" in log


def test_rules_hold(guards):
    """For ever: for two cycles after a reset, and for a cycle behind any cycle in which they hold."""
    assert guards
    for guard in guards:
        assert holds(guard, induction=True)


def test_no_condition_can_be_left_out(guards):
    for guard in guards:
        conditions = CONDITIONS | {
            f"places_{i}_{condition}": value for i in range(guard.ranges) for condition, value in OF_A_RANGE.items()
        }
        mutants = [f"connect -set \\dut.{name} 1'b{value}" for name, value in conditions.items()]
        mutants.append("connect -set \\dut.io_down_payload_opcode \\dut.io_up_rData_opcode")
        assert not [mutant for mutant in mutants if holds(guard, induction=False, instead=mutant)]
