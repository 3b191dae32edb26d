"""FrontEnd (accel/src/heapwire/core): its rules (front_end.sv) hold for ever in the Verilog that `make verilog` writes,
and a front end without one of its conditions breaks them. docs/reference/proofs.md."""

import json
import re
from pathlib import Path

import pytest

from tests.proofs.symbiyosys import Module, generate

RULES = Path(__file__).with_name("front_end.sv")
CONFIG, WIDTH = "tiny", 32
"""The smallest cluster: its front end has one queue, of two commands for one unit, and eight tags."""
DELAY = 8
"""Cycles in which an idle unit is offered the next command at the latest, not counting reads of results."""
CYCLES = 26
"""In so many cycles after a reset a front end without one of its conditions breaks a rule."""

INSIDE = {
    "accept": "submit_accept",
    "accepted_tag": "table_1_io_next",
    "free": "table_1_io_release",
    "freed_tag": "table_1_io_tag",
    "wanted": "submit_wanted",
    "active": "active",
    "known": "table_1_io_known",
    "complete": "table_1_io_complete",
    "available": "table_1_io_available",
    "status": "table_1_io_status",
    "number": "table_1_io_completed",
    "word_0": "lookup_pair_words_0",
    "word_1": "lookup_pair_words_1",
    "was_available": "table_1.available_regNext",
    "large": "large_1",
    "table_owned": "table_1.owned",
    "table_running": "table_1.running",
    "open": "table_1.open_1",
} | {name: name for name in (f"current_{of}" for of in ("kind", "field", "posted", "function", "rs1", "rs2"))}
"""Wires of the rules -> signals inside the front end."""

WITHOUT = {
    "a release wants a complete command": "lookup_gone lookup_known",
    "a release frees the tag": "table_1_io_release 1'b0",
    "a command wants a free tag": "table_1_io_available 1'b1",
    "a command wants room in its queue": "feed_io_room 1'b1",
}
WORDS_ARE_ANYTHING = (
    "memory_collect",
    r"delete rules/c:*dut.memory rules/c:*dut.feed._zz_* rules/c:*dut.table_1.statuses",
    "memory_map",
)
"""Arguments, results and statuses may have any value at any time: their memories are left out."""


def connected(unit, tag):
    """Returns how the rules are connected to the ports of a unit. The rules are not about words."""
    ports = {
        f"{port}_{end}": f"{port}_{end}[{unit}]" for port in ("command", "completion") for end in ("valid", "ready")
    }
    ports |= {f"{port}_payload_tag": f"{port}_tag[{tag * unit}+:{tag}]" for port in ("command", "completion")}
    ports["completion_payload_status"] = f"completion_status[{8 * unit}+:8]"
    ports |= {f"completion_payload_results_{i}": f"completion_results[{128 * unit + 32 * i}+:32]" for i in range(4)}
    return [f".io_units_{unit}_{port}({wire})" for port, wire in ports.items()]


def generated() -> Module:
    """Returns the front end with its rules."""
    module = Module(generate(CONFIG, WIDTH), "FrontEnd", RULES)
    interface = json.loads((module.folder / "heapwire.json").read_text())
    facts, information = interface["cluster"], interface["information"]
    kinds = [kind for kind, count in facts["units"].items() if count and kind != "protobuf_fields"]
    kind_of = [kind for kind, name in enumerate(kinds) for _ in range(facts["units"][name])]
    first_bit, each = information["capability_units_bit"], information["capability_units_width"]
    capability = information["version"] | sum(
        count << first_bit + each * interface["units"][kind] for kind, count in facts["units"].items()
    )
    bytes_log, divider_log = (number.bit_length() - 1 for number in (WIDTH // 8, facts["unitClockDivider"]))
    model = (module.folder / "heapwire_model_nanopb.h").read_text()
    words = {
        "PROGRAM": f"32'h{re.search('0x([0-9a-f]+)', model)[1]}",
        "CAPABILITY": capability,
        "SIZES": facts["tags"] | facts["queueDepth"] << 8 | bytes_log << 16 | divider_log << 24,
    }
    tag = module.width("io_units_0_command_payload_tag")
    count, depth = facts["queueDepth"].bit_length(), facts["queueDepth"]
    module.inside = dict(INSIDE)
    for k, kind in enumerate(kinds):
        sizes = {"count": count, "in": count - 1, "out": count - 1, "room": 1}
        module.inside |= {
            f"queue_{of}[{n * (k + 1) - 1}:{n * k}]": f"feed.{kind}_queue_{of}" for of, n in sizes.items()
        }
        module.inside |= {
            f"queue_tags[{tag * (i + 1) - 1}:{tag * i}]": f"feed.{kind}_queue_tags[{i - depth * k}]"
            for i in range(depth * k, depth * (k + 1))
        }
    module.macros = words | {
        "TAG": tag,
        "DEPTH": count,
        "UNITS": len(kind_of),
        "KINDS": len(kinds),
        "KIND_OF": f"{3 * len(kind_of)}'d{sum(kind << 3 * unit for unit, kind in enumerate(kind_of))}",
        "FIELDS": int("io_fields_request_valid" in module.ports),
        "DELAY": DELAY,
        "PORTS": ",".join(wire for unit in range(len(kind_of)) for wire in connected(unit, tag)),
    }
    return module


@pytest.fixture(scope="module")
def front_end():
    return generated()


def test_each_command_exactly_once(front_end):
    assert front_end.proved("COMMANDS", "INVARIANTS", script=WORDS_ARE_ANYTHING)


def test_a_command_is_offered_soon(front_end):
    assert front_end.proved("PROGRESS", script=WORDS_ARE_ANYTHING)


def test_a_command_can_be_carried_out(front_end):
    """Otherwise the rules would say nothing."""
    assert refuted(front_end, "NEVER", "")


def refuted(front_end, rules, instead, **options):
    return front_end.refuted(rules, instead=instead, cycles=CYCLES, script=WORDS_ARE_ANYTHING, **options)


def test_a_fetch_that_never_ends_is_found(front_end):
    assert refuted(front_end, "PROGRESS", "last 1'b0", within="CommandFeed")


@pytest.mark.parametrize("instead", WITHOUT.values(), ids=list(WITHOUT))
def test_no_condition_can_be_left_out(front_end, instead):
    assert refuted(front_end, "COMMANDS", instead)
