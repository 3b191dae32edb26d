#!/usr/bin/env python3
"""Looks at what make is asked for, before make does anything: `make/arguments.py GOALS OVERRIDES [NAME]...`, with
make's MAKECMDGOALS and MAKEOVERRIDES, and names of variables that the caller looks at itself. Prints what is wrong, in
a line, if something is. `make/arguments.py help` prints what `make help` shows, `make/arguments.py paths FLAG TEXT` the
paths that a variable names, quoted for the shell.

The table GOALS says which variables have an effect on which goal. Flags in ARGS are not looked at here: make hands them
to the goal's command. Only Python's standard library is used, because this runs before the set-up."""

import difflib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLUSTER = "CONFIG DATA_WIDTH UNIT_CLOCK"
MACHINE = f"{CLUSTER} ETHERNET TRAIN NOISE CLASS_LIST CLASS_PATH"
BOARDS = "BOARD DEVICE CONFIG ARGS"


@dataclass(frozen=True)
class Goal:
    """takes: the variables that have an effect on it. like: LIKE has one, too. text: for help; empty: it is in another
    goal's text. study: it measures, and is no part of the machine."""

    takes: str = ""
    text: str = ""
    like: bool = False
    study: bool = False

    def has(self, name):
        return name in self.takes.split() or self.like and name == "LIKE"


GOALS = {
    "demo": Goal(f"{MACHINE} PROTO INCLUDE TYPE DATA ARGS", "real messages through the simulated SoC, hardware "
                 "beside software; demo-rpc: calls\nPROTO=my.proto TYPE=pkg.Message DATA=file: a message of your own",
                 like=True),
    "program": Goal(f"{MACHINE} SRC PROTO INCLUDE DATA DEBUG ARGS", "a C program of your own on that SoC: SRC=my.c "
                    "PROTO=my.proto DATA=its-input\nDEBUG=1: for make debug; examples: make -C examples/message, or "
                    "another folder there",
                    like=True),
    "demo-rpc": Goal(f"{MACHINE} ARGS", like=True),
    "test": Goal(f"{MACHINE} SUITE", "the tests, some twenty minutes; SUITE=host soc: some; test-full: with all cases"),
    "test-full": Goal(f"{MACHINE} SUITE"),
    "conformance": Goal(f"{MACHINE} ARGS", "the official protobuf conformance suite"),
    "bench": Goal(f"{MACHINE} SUITE ARGS", "cycles, into build/bench; SUITE=core for one suite", like=True),
    "debug": Goal(f"{MACHINE} ELF BOARD DEVICE ARGS", "GDB on the core: ELF= in the simulation, or BOARD=", like=True),
    "trace": Goal(f"{MACHINE} ELF ARGS", "waves of ELF's run, into build/trace", like=True),
    "area": Goal(f"{CLUSTER} ARGS", "LUTs, block memories and gates of each module, into build/area"),
    "bitstream": Goal(BOARDS, "bitstream of BOARD=ulx3s (DEVICE=45F: its part); then load, flash, term, "
                      "check-board"),
    "load": Goal(BOARDS),
    "flash": Goal(BOARDS),
    "term": Goal("BOARD DEVICE ARGS"),
    "check-board": Goal(BOARDS),
    "firmware": Goal(f"{MACHINE} BOARD DEVICE IMAGE ARGS", "the programs of the SoC or of BOARD=; also verilog, sim, "
                     "classes, jar", like=True),
    "verilog": Goal(CLUSTER, like=True),
    "sim": Goal(MACHINE, like=True),
    "classes": Goal(f"{CLUSTER} CLASS_LIST CLASS_PATH", like=True),
    "jar": Goal(f"{CLUSTER} SPARK", like=True),
    "wheel": Goal(),
    "setup": Goal("", "tools (Debian 12, root); setup-synth, setup-pigweed; wheel, format, clean, distclean"),
    "setup-synth": Goal(),
    "setup-pigweed": Goal(),
    "format": Goal(),
    "clean": Goal(),
    "distclean": Goal(),
    "help": Goal(),
    "help-study": Goal("", "what reproduces the papers: report, spark, power, demo-skyway"),
    "report": Goal("QUICK SUITE ARGS", "every figure of the papers beside ours, what lacks is measured; "
                   "QUICK=1: 20 minutes", study=True),
    "report-page": Goal("QUICK ARGS", "the report's page from the rows that exist", study=True),
    "profile": Goal("DATA_WIDTH MESSAGE PROTO INCLUDE TYPE DATA ARGS", "where the protobuf engine's cycles go: "
                    "MESSAGE=demo, or PROTO= TYPE= DATA=", study=True),
    "demo-skyway": Goal(f"{MACHINE} ARGS", "programs that shuffle between simulated SoCs; ARGS=\"--machines 5\"",
                        study=True),
    "spark": Goal("ARGS", "the papers' programs on Spark, on this machine's JVM", study=True),
    "setup-upb": Goal("", "fetches upb, as bench and report do by themselves", study=True),
    "power": Goal("CONFIG DATA_WIDTH TRAIN CLASS_LIST CLASS_PATH", "relative power of Cereal's units, and energy of "
                  "serializers", study=True),
}  # fmt: skip
VARIABLES = {
    "CONFIG": "units and caches: default, tiny, full ... (docs/reference/configurations.md)",
    "DATA_WIDTH": "bits of the memory port: 128, 64, 32",
    "LIKE": "a board, whose cluster, memory and clock are simulated (docs/reference/sim.md)",
    "INCLUDE": "folders in which the imports of PROTO begin",
    "ARGS": "flags of the goal's command; make area ARGS=--help shows them",
    "UNIT_CLOCK": "2: units at half of the clock; TRAIN=, NOISE=1, ETHERNET=1: docs/reference/sim.md",
    "CLASS_LIST": "Java classes of your own, in CLASS_PATH=folder:jar (classes.md); SPARK=: howto/jvm.md",
    "CACHE, VENV": "folders of downloads and of Python; SKIP_DEBIAN=1: no Debian package is installed",
}
ALWAYS = ("CACHE", "VENV", "SKIP_DEBIAN")
SELECTS = ("CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "ETHERNET", "LIKE", "BOARD", "DEVICE")
"""What selects a machine. A goal that takes other variables, but not this one, would use another machine."""
QUOTED = "SRC MESSAGE PROTO INCLUDE TYPE DATA ELF BOARD DEVICE SUITE LIKE CLASS_LIST CLASS_PATH SPARK".split()
"""What the shell reads between double quotes."""
VALUES = {
    "CONFIG": (r"[a-z0-9-]+", "a name like tiny or cereal-x4"),
    "DATA_WIDTH": ("32|64|128", "32, 64 or 128"),
    "UNIT_CLOCK": ("1|2", "1 or 2"),
    "LIKE": (r"([\w-]+(\+stock)?)?", "a board of boards/, or one with +stock, such as ulx3s+stock"),
    "SUITE": (r"[a-z0-9 -]*", "names of suites, with blanks between them"),
}
STOCK_GOALS = ("verilog", "classes", "jar", "sim", "firmware", "bench")


class Refused(Exception):
    pass


def refuse(problem, instead):
    raise Refused(f"{problem}. What to do: {instead}")


def overrides(text):
    """Returns the variables of MAKEOVERRIDES, in which make has escaped blanks, backslashes and dollars."""
    words = re.findall(r"(?:[^\s\\]|\\.)+", text, re.DOTALL)
    words = [re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL).replace("$$", "$") for word in words]
    return {name.rstrip(":+?!"): value for name, _, value in (word.partition("=") for word in words)}


def taking(name):
    return ", ".join(goal for goal, about in GOALS.items() if about.has(name))


def check_names(given, goals):
    """Refuses variables that nothing reads, and those that have no effect on the goals."""
    known = {name for about in GOALS.values() for name in about.takes.split()} | {"LIKE", *ALWAYS}
    for name in given:
        if name not in known and not name.startswith("HEAPWIRE_"):
            like = difflib.get_close_matches(name, sorted(known), 1)
            instead = f"write {like[0]}=" if like else "leave it out; make help shows variables"
            refuse(f"there is no variable {name}", instead)
    for goal in (goal for goal in goals if goal not in GOALS):
        if (like := difflib.get_close_matches(goal, GOALS, 1, 0.7)) and not (ROOT / goal).exists():
            refuse(f"there is no goal {goal}", f"make {like[0]}, or make help, which shows the goals")
        return  # a file, or a target of the makefiles' own
    for name in (name for name, value in given.items() if value.strip() and name in known and name not in ALWAYS):
        without = [goal for goal in goals if not GOALS[goal].has(name)]
        other_machine = name in SELECTS and any(GOALS[goal].takes for goal in without)
        if len(without) == len(goals) or other_machine:
            simulated = name == "BOARD" and any(GOALS[goal].like for goal in without)
            instead = f"LIKE={given[name]} for a simulated one" if simulated else "leave it out"
            refuse(f"{name} has no effect on {', '.join(without)}", f"{instead}; {name} is for {taking(name)}")


def check_values(value, told):
    """told: the names of variables that have a value, if an empty one."""
    for name in QUOTED:
        if found := re.search(r'[\\`"$\n]', value(name)):
            refuse(f"{name}: {found[0]!r} must not be in it", "another name, also for the file, if it is one")
    for name, (pattern, text) in VALUES.items():
        if name in told and not re.fullmatch(pattern, value(name), re.ASCII):
            refuse(f"no {name} {value(name)!r}", f"{name}= {text}")
    # Scala says which configurations there are. Before it has first done so, the generator refuses a wrong name.
    listed = sorted((ROOT / "build" / "gen").glob("configurations-*.json"), key=lambda file: file.stat().st_mtime)
    bases = json.loads(listed[-1].read_text())["bases"] if listed and value("CONFIG") else []
    if bases and not any(re.fullmatch(base["pattern"], value("CONFIG")) for base in bases):
        refuse(f"no CONFIG {value('CONFIG')!r}", f"CONFIG= one of {', '.join(base['name'] for base in bases)}")


def check_machine(given, value, goals):
    like = value("LIKE").strip()
    with_flags = [goal for goal in goals if goal in GOALS and GOALS[goal].has("ARGS")]
    if value("ARGS").strip() and (len(with_flags) != 1 or goals == ["firmware"] and not value("BOARD").strip()):
        refuse("ARGS are flags of one goal's command", f"one of {taking('ARGS')} (firmware: with BOARD=)")
    if given.get("DEVICE", "").strip() and not value("BOARD").strip():
        refuse("DEVICE is a part of a board", "name the board, too, BOARD=")
    board = value("BOARD").strip()
    if board and not (ROOT / "boards" / f"{board}.py").is_file():
        refuse(f"no board {board!r}", "BOARD= the name of a board's file in boards/, such as ulx3s")
    flags_alone = {"-h", "--help"} & set(value("ARGS").split())
    for goal in ("bitstream", "load", "flash", "term", "check-board"):
        if goal in goals and not board and not flags_alone:
            refuse(f"{goal}: which board?", "BOARD= the name of a board's file in boards/, such as ulx3s")
    if "power" in goals and given.get("CONFIG", "cereal") != "cereal":
        refuse("power is told of CONFIG=cereal alone", "leave out CONFIG")
    if not like:
        return
    if len(like.split()) != 1:
        refuse(f"LIKE={like}: a simulated board is like one board", "name one")
    if not (ROOT / "boards" / f"{re.split('[-+]', like)[0]}.py").is_file():
        refuse(f"LIKE={like}: no such board", VALUES["LIKE"][1])
    for goal in goals:
        if like.endswith("+stock") and GOALS.get(goal, Goal()).takes and goal not in STOCK_GOALS:
            refuse(f"LIKE={like}: LiteX's own CPU has no units for {goal}", f"one of {', '.join(STOCK_GOALS)}")
    for name in CLUSTER.split():
        if name in given:
            refuse(f"{name}: with LIKE it is the board's", f"leave out {name}")


def check_suites(value, goals):
    if {"test", "test-full"} & set(goals) and value("SUITE").strip():
        command = [sys.executable, str(ROOT / "tests" / "run"), "--parse-only", *value("SUITE").split()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.stderr.strip())


def check(goals, given, environment):
    """Raises Refused."""

    def value(name):
        return given.get(name, environment.get(name, ""))

    check_names(given | {"LIKE": value("LIKE")}, goals)
    check_values(value, {*given, *environment})
    check_machine(given, value, goals)
    check_suites(value, goals)


def paths(text):
    """Returns the paths of a variable that names several, with blanks between them. A path may have blanks, too: the
    most words that together are the path of something count as one."""
    words = text.split(" ")
    while words:
        ends = range(len(words), 0, -1)
        end = next((end for end in ends if words[0] and (ROOT / " ".join(words[:end])).exists()), 1)
        if path := " ".join(words[:end]):
            yield path
        words = words[end:]


def help_lines(study):
    if not study:
        yield "make GOAL [NAME=value]... sets up and builds what the goal needs:"
    for name, about in GOALS.items():
        if about.text and about.study == study:
            for head, line in zip([name, *[""] * about.text.count("\n")], about.text.split("\n")):
                yield f"  {head:12} {line}"
    if not study:
        yield "Variables of most goals, as in make demo CONFIG=tiny:"
        yield from (f"  {name:12} {text}" for name, text in VARIABLES.items())


def main(words):
    if words in (["help"], ["help-study"]):
        print(*help_lines(words == ["help-study"]), sep="\n")
        return
    if words[:1] == ["paths"]:
        print(*(f'{words[1]} "{path}"'.lstrip() for path in paths(words[2])))
        return
    try:
        given = {name: value for name, value in overrides(words[1]).items() if name not in words[2:]}
        check(words[0].split() or ["help"], given, os.environ)
    except Refused as refused:
        print(str(refused).encode("ascii", "backslashreplace").decode())
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
