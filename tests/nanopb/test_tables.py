"""The tables, the software twin that works from them alone, and the driver, against nanopb itself."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess

import pytest

from tests.nanopb import program as programs
from tests.nanopb.program import HERE, Program
from tests.nanopb.schemas import Fit, random_input, random_schema

FULL = bool(os.environ.get("HEAPWIRE_FULL"))

#: Statuses with which a unit leaves a message to nanopb that nanopb accepts.
DECLINES = {"UNSUPPORTED", "VARINT_OVERFLOW", "DEPTH_EXCEEDED", "DOES_NOT_FIT"}


def write_cases(path, cases: list[tuple[int, int, bytes]]) -> None:
    path.write_bytes(
        b"".join(struct.pack("<III", *case[:2], len(case[2])) + case[2] + bytes(-len(case[2]) % 4) for case in cases)
    )


def run(program: Program, cases: list[tuple[int, int, bytes]], name: str = "cases") -> tuple[dict, str]:
    """Runs the program and returns its summary and what it printed before. Fails if results differ. The input stays
    next to the program."""
    path = program.path.parent / f"{name}.bin"
    write_cases(path, cases)
    result = subprocess.run(
        [program.path, path],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
    )
    replay = f"{program.path} {path}"
    assert result.stdout.strip().endswith("}"), f"{replay}\n{result.stdout[-2000:]}\n{result.stderr[-4000:]}"
    *said, last = result.stdout.strip().splitlines()
    summary = json.loads(last)
    assert result.returncode == 0 and not summary["faults"] and not summary["differences"], (
        f"{replay}\n" + "\n".join(said[:30]) + result.stderr[-2000:]
    )
    return summary, "\n".join(said)


def random_cases(
    program: Program, fits: dict[str, Fit], count: int, dice: random.Random
) -> list[tuple[int, int, bytes]]:
    full_names = {name.replace(".", "_"): name for name in program.schema.type_names()}
    # The driver refuses packed structs, nanopb does not: api.c has their error.
    usable = [
        (i, program.message_class(name))
        for i, name in enumerate(program.types)
        if name in full_names and name not in ("opt_Packed", "opt_HoldsPacked")
    ]
    cases = []
    for _ in range(count):
        index, kind = dice.choice(usable)
        cases.append((index, dice.getrandbits(32), random_input(kind(), fits, dice)))
    return cases


def defined_fits(program: Program) -> dict[str, Fit]:
    """Returns the room of the fields of protos/options.proto. It is tight enough that most messages fit."""
    fits: dict[str, Fit] = {}
    for name in program.schema.type_names():
        for field in program.schema.descriptor(name).fields:
            fits[field.full_name] = Fit(count=2, size=2, bits=8)
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                for part in field.message_type.fields:
                    fits[part.full_name] = Fit(size=2)
    for name in ("fixed", "fixed_blobs", "fixed_texts", "fixed_messages"):
        fits[f"opt.Arrays.{name}"] = Fit(count=4, size=6, exact=name == "fixed_blobs", exact_count=True)
    fits["opt.Scalars.fixed"] = Fit(size=5, exact=True)
    fits["opt.Pointers.fixed"] = Fit(count=3, exact_count=True)
    return fits


BUILDS = {
    "narrow": "",
    "wide": "-DPB_FIELD_32BIT",
    "buffer": "-DPB_FIELD_32BIT -DPB_BUFFER_ONLY",
    "unpacked": "-DPB_ENCODE_ARRAYS_UNPACKED",
}
"""nanopb's own options that change structs, streams or encodings."""


@pytest.fixture(scope="module", params=BUILDS)
def options(request) -> Program:
    """Builds protos/options.proto. A struct of more than 64 KB needs wide counts."""
    texts = [(HERE / f"protos/options.{kind}").read_text().splitlines(keepends=True) for kind in ("proto", "options")]
    if "32BIT" not in BUILDS[request.param]:
        texts = [[line for line in lines if "Large" not in line] for lines in texts]
    return programs.build(f"options_{request.param}", *("".join(lines) for lines in texts), BUILDS[request.param])


def test_every_option(options):
    """Each table agrees with offsetof and sizeof. A message without a table has a reason."""
    _, said = run(options, [])
    software = dict(
        line.removeprefix("software ").split(": ", 1) for line in said.splitlines() if line.startswith("software ")
    )
    callback, packed = "a callback field", "packed_struct"
    layout = "a struct that tables cannot describe"
    assert {name: reason.split(":")[0] for name, reason in software.items()} == {
        "opt_Callback": callback,
        "opt_HoldsCallback": callback,
        "opt_MessageCallback": callback,
        "opt_Extended": "extensions",
        "opt_Packed": packed,
        "opt_HoldsPacked": packed,
    } | ({"opt_Large": layout} if "opt_Large" in options.types else {})


def test_every_option_messages(options):
    dice = random.Random(5)
    summary, _ = run(options, random_cases(options, defined_fits(options), 4000 if FULL else 400, dice), "messages")
    assert summary["accepted"] > 100 and summary["malformed"] > 50 and summary["by_unit"] > 100
    check_declined(options, summary)


def test_api(options):
    """Streams of callbacks, flags, errors, callbacks, extensions, full arenas and full table memory."""
    api = programs.build(
        options.path.parent.name,
        *((options.path.parent / f"schema.{kind}").read_text() for kind in ("proto", "options")),
        BUILDS[options.path.parent.name.removeprefix("options_")],
        "api",
    )
    result = subprocess.run([api.path], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr[-3000:]


def check_declined(program: Program, summary: dict) -> None:
    from heapwire import interface

    names = {interface.load().status_name(int(code)): count for code, count in summary["declined"].items()}
    assert set(names) <= DECLINES, names
    assert sum(names.values()) <= 0.03 * summary["accepted"] + 2, names


SCHEMAS, CASES = (40, 1250) if FULL else (8, 250)


@pytest.mark.parametrize("seed", range(SCHEMAS))
def test_random(seed):
    dice = random.Random(seed)
    wide = seed % 3 != 0
    schema = random_schema(dice, dice.choice([3, 6, 9]), wide)
    program = programs.build(f"random{seed}", schema.proto, schema.options, "-DPB_FIELD_32BIT" if wide else "")
    summary, _ = run(program, random_cases(program, schema.fits, CASES, dice))
    check_declined(program, summary)
    assert summary["accepted"] > CASES // 3
