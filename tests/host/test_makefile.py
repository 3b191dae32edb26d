"""What make is asked for: the refusals of make/arguments.py, and the commands that make runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from base.repository import ROOT
from tests.common.run import checked, run, script

CACHE, VENV = os.environ.get("CACHE") or ".cache", os.environ.get("VENV") or ".venv"
_spec = spec_from_file_location("arguments", ROOT / "make" / "arguments.py")
arguments = sys.modules["arguments"] = module_from_spec(_spec)
_spec.loader.exec_module(arguments)
WITH_FLAGS = [name for name, goal in arguments.GOALS.items() if goal.has("ARGS") and name != "firmware"]
TAKEN = " ".join(goal.takes for goal in arguments.GOALS.values())
OURS = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "LIKE", *TAKEN.split()}


def alone():
    """Returns the environment without the variables of an outer make."""
    return {name: value for name, value in os.environ.items() if name not in OURS}


def dry_run(*words):
    return run("make", "-n", "SKIP_DEBIAN=1", *words, env=alone())


def refusal(*words, **environment):
    """Returns what is said about goals and variables, or None."""
    given = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        arguments.check([word for word in words if "=" not in word], given, environment)
    except arguments.Refused as refused:
        return str(refused)


@pytest.mark.parametrize(
    "words, text",
    [
        ("demo CONFG=tiny", "there is no variable CONFG. What to do: write CONFIG="),
        ("demoo", "there is no goal demoo. What to do: make demo"),
        ("demo-skyway WORDS=400", "there is no variable WORDS"),
        ("demo QUICK=1", "QUICK has no effect on demo. What to do: leave it out; QUICK is for report, report-page"),
        ("setup CONFIG=tiny", "CONFIG has no effect on setup"),
        ("demo BOARD=ulx3s", "BOARD has no effect on demo. What to do: LIKE=ulx3s for a simulated one"),
        ("firmware bench BOARD=ulx3s", "BOARD has no effect on bench. What to do: LIKE=ulx3s"),
        ("test BOARD=ulx3s", "BOARD has no effect on test. What to do: leave it out"),
        ("sim report CONFIG=tiny", "CONFIG has no effect on report"),
        ("firmware DEVICE=45F", "DEVICE is a part of a board. What to do: name the board, too"),
        ("power CONFIG=default", "power is told of CONFIG=cereal alone"),
        ("demo CONFIG=tiny;full", "no CONFIG 'tiny;full'. What to do: CONFIG= a name like tiny"),
        ("demo DATA_WIDTH=48", "no DATA_WIDTH '48'. What to do: DATA_WIDTH= 32, 64 or 128"),
        ("sim UNIT_CLOCK=3", "no UNIT_CLOCK '3'. What to do: UNIT_CLOCK= 1 or 2"),
        ("demo DATA=a`touch`.bin", "DATA: '`' must not be in it"),
        ("program SRC=$HOME.c", "SRC: '$' must not be in it"),
        ('demo PROTO=a";b".proto', "PROTO: '\"' must not be in it"),
        ("test SUITE=memry", "no suite 'memry' to test. What to do: SUITE= some of accel, "),
        ("verilog ARGS=--help", "ARGS has no effect on verilog"),
        ("firmware ARGS=--with-link", "ARGS are flags of one goal's command"),
        ("demo bench ARGS=--host", "ARGS are flags of one goal's command. What to do: one of demo, program, "),
        ("test LIKE=ulx3s", "LIKE has no effect on test"),
        ("sim LIKE=ulx3s CONFIG=tiny", "CONFIG: with LIKE it is the board's"),
        ("bench LIKE=ulx", "LIKE=ulx: no such board. What to do: a board of boards/, or one with +stock"),
        ("demo LIKE=ulx3s+stock", "LiteX's own CPU has no units for demo. What to do: one of verilog, "),
    ],
)
def test_a_mistake_is_told(words, text):
    assert text in refusal(*words.split())


@pytest.mark.parametrize(
    "words",
    [
        "help",
        "demo",
        "demo CONFIG=cereal-x4-e32 DATA_WIDTH=64 UNIT_CLOCK=2 TRAIN= NOISE=1 HEAPWIRE_JOBS=1",
        "setup demo CONFIG=tiny BOARD=",
        "firmware sim LIKE=orangecrab-25f TRAIN=",
        "demo-rpc sim ETHERNET=1",
        "verilog classes LIKE=ulx3s+stock",
        "firmware BOARD=ulx3s DEVICE=45F CONFIG=bare ARGS=--with-link",
        "debug BOARD=ulx3s ELF=x.elf",
        "test SUITE=host CACHE=/c VENV=/v SKIP_DEBIAN=1",
        "build/gen/tiny-32/heapwire.json CONFIG=tiny DATA_WIDTH=32",
    ],
)
def test_what_is_right_is_taken(words):
    assert refusal(*words.split()) is None


def test_values_of_the_environment_are_looked_at_too():
    assert "no DATA_WIDTH '48'" in refusal("demo", DATA_WIDTH="48")
    assert "LIKE has no effect on test" in refusal("test", LIKE="ulx3s")
    assert "no LIKE 'ulx3s ecpix5'" in refusal("sim", LIKE="ulx3s ecpix5")


@pytest.mark.parametrize("value", ["a b  c", "it's", 'a"b', "back\\slash", "#x", "$$HOME;`x`|>"])
def test_values_come_as_they_were_given(value, tmp_path):
    """Through make's quoting and the shell's."""
    quoting = f"include {ROOT / 'make' / 'quoting.mk'}\n"
    (tmp_path / "Makefile").write_text(f"{quoting}all:\n\t@printf %s $(call shell_word,$(MAKEOVERRIDES))\n")
    told = checked("make", "-s", "A=1", f"DATA={value}", cwd=tmp_path, env=alone())
    assert arguments.overrides(told) == {"A": "1", "DATA": value}


def test_a_path_may_have_blanks(tmp_path):
    for name in ("a b.c", "b.c", "c d/e f.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    given = [tmp_path / "a b.c", "no.c", tmp_path / "c d" / "e f.c", tmp_path / "b.c", "no", "file"]
    assert list(arguments.paths(" ".join(map(str, given)))) == list(map(str, given))
    told = dry_run("-o", "firmware", "-o", "sim", "program", f"SRC={given[0]} {given[3]}").stdout
    assert f'heapwire program "{given[0]}" "{given[3]}"' in told


def test_make_asks_before_anything_else():
    for words in (["demo", "CONFG=tiny"], ["test", "SUITE=memry"], ["QUICK=1"]):
        result = dry_run(*words)
        assert (result.returncode, result.stdout) == (2, "") and "What to do: " in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_help_is_a_screen_and_names_every_goal():
    told, study = (checked("make", "--no-print-directory", goal, env=alone()) for goal in ("help", "help-study"))
    assert len(told.splitlines()) <= 24 and max(map(len, (told + study).splitlines())) <= 100
    assert all(re.search(rf"\b{name}\b", told + study) for name in arguments.GOALS)


@pytest.mark.parametrize(
    "words, command",
    [
        (["demo-skyway", "ARGS=--host --words 400"], "study demo-skyway --parse-only --host --words 400"),
        (
            ["demo", "PROTO=my.proto", "TYPE=pkg.M", "DATA=m.bin"],
            'heapwire demo --proto "my.proto" --type "pkg.M" --data "m.bin" --parse-only',
        ),
        (["bench", "SUITE=memry"], "study bench memry --parse-only"),
        (["area", "ARGS=--fmax all"], "synth --config default-128 --parse-only --fmax all"),
        (
            ["report", "QUICK=1", "SUITE=memory core", "ARGS=--cores 2 -- --dry-run"],
            'study.workflow --quick --suites "memory core" --parse-only --cores 2 -- --dry-run',
        ),
        (["trace", "ELF=x.elf", "ARGS=--end 5"], 'sim.trace --image "x.elf" --parse-only --end 5'),
        (["debug", "ELF=x.elf", "ARGS=--load 0=f"], 'heapwire debug --elf "x.elf" --parse-only --load 0=f'),
        (["firmware", "BOARD=ulx3s", "ARGS=--with-link"], 'boards "ulx3s" --firmware --parse-only --with-link'),
        (["spark", "ARGS=--keep"], f"study.bench.spark --jars {CACHE}/spark --parse-only --keep"),
        (["conformance", "ARGS=--on codec"], f"heapwire.conformance.run {CACHE}/conformance --parse-only --on codec"),
    ],
)
def test_a_command_looks_at_its_arguments_before_anything_is_built(words, command):
    built = ["-o", "firmware", "-o", "sim", "-o", "build/sim/default-128-trace/heapwire-sim"] * (
        "BOARD=ulx3s" not in words
    )
    lines = [" ".join(line.split()) for line in dry_run(*built, *words).stdout.splitlines()]
    asked = next(i for i, line in enumerate(lines) if line.endswith(f"-m {command}"))
    assert not [
        line for line in lines[:asked] if re.search(r"mill|-m sim\.|-C firmware|verilog|setup.sh (?!python)", line)
    ]
    assert any(f"-m {command.replace(' --parse-only', '')}" in line for line in lines[asked + 1 :])


@pytest.mark.parametrize("target", WITH_FLAGS)
def test_a_wrong_flag_is_refused_by_the_command_and_a_right_one_is_not(target):
    """Runs what make runs before it builds anything."""

    def looked_at(flag):
        more = ["BOARD=ulx3s"] if arguments.GOALS[target].has("BOARD") else []
        if target == "program":
            more = ["SRC=examples/message/greet.c", "PROTO=examples/message/guests.proto"]
        told = dry_run("-o", "firmware", target, *more, f"ARGS={flag}").stdout.splitlines()
        line, *_ = [line for line in told if "--parse-only" in line]
        environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'host'}"}
        return run(sys.executable, *shlex.split(line)[1:], env=environment)

    wrong, right = looked_at("--no-such-flag"), looked_at("--parse-only")
    assert wrong.returncode == 2 and "no-such-flag" in wrong.stderr
    assert (right.returncode, right.stdout) == (0, ""), right.stderr


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_flags_are_shown_and_nothing_else_is_done(flag):
    for target in WITH_FLAGS:
        (line,) = dry_run("-o", f"{VENV}/.installed", target, f"ARGS={flag}").stdout.splitlines()
        assert line.endswith(flag) and "--parse-only" not in line


@pytest.mark.parametrize("suite, simulates", [("", True), ("host soc", True), ("debug", True), ("host", False)])
def test_only_suites_that_simulate_the_system_build_simulators(suite, simulates):
    built = [
        word for target in ("test-tools", "firmware", "budgeted-cluster", "litex-cluster") for word in ("-o", target)
    ]
    lines = dry_run(*built, "test", f"SUITE={suite}").stdout.splitlines()
    assert any("no-print-directory sim" in line for line in lines) == simulates
    assert lines[-1].endswith(f"tests/run {suite}")


def test_what_is_built_follows_the_variables():
    lines = dry_run("--always-make", "verilog", "DATA_WIDTH=64", "UNIT_CLOCK=2").stdout
    assert "--data-width 64 --memory-mb 128 --unit-clock-divider 2)" in lines and "build/gen/default-64-clock2" in lines
    lines = dry_run("--always-make", "sim", "TRAIN=", "NOISE=1", "LIKE=orangecrab-25f").stdout
    assert 'sim.like "orangecrab-25f"' in lines and 'build/soc/like-orangecrab-25f --like "orangecrab-25f"' in lines
    assert "OUT=build/sim/like-orangecrab-25f-noise/ " in lines
    assert "CPU=build/gen/like-orangecrab-25f/HeapwireCluster.v " in lines
    lines = dry_run("--always-make", "sim", "TRAIN=", "LIKE=ulx3s+stock").stdout
    assert 'build/soc/like-ulx3s-stock --like "ulx3s" --stock' in lines
    assert "CPU=build/soc/like-ulx3s-stock/cpu.v " in lines and "OUT=build/sim/like-ulx3s-stock/ " in lines


def test_distclean_leaves_what_is_not_the_trees(tmp_path):
    def removed(cache):
        told = dry_run("distclean", f"CACHE={cache}", "VENV=.venv").stdout.splitlines()
        return [line.removeprefix("rm -rf ").split() for line in told if line.startswith("rm -rf")], told[-1]

    assert removed(".cache")[0] == [
        ["build", "out", ".snakemake"],
        [f"{ROOT}/.cache", f"{ROOT}/.venv", "host/*.egg-info"],
    ]
    rm, told = removed(tmp_path)
    assert rm[1] == [f"{ROOT}/.venv", "host/*.egg-info"] and f": {tmp_path} ~/.cache/heapwire" in told


def test_what_takes_long_is_watched(tmp_path):
    def watched(code, **environment):
        work = "make/watched", "work", tmp_path / "log", "sh", "-c", f"echo hello; sleep 1; exit {code}"
        return run(*work, env=os.environ | environment)

    done = watched(0, WATCH_SECONDS="0.4")
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.startswith("work: 0.0 min: hello\n")
    assert (tmp_path / "log").read_text() == "hello\n"
    done = watched(3)
    assert (done.returncode, done.stderr) == (3, "hello\n")


@pytest.fixture
def tree(tmp_path):
    """Returns a tree whose set-up fetches Mill from a Maven that takes a second and counts its calls."""
    shutil.copytree(ROOT / "make", tmp_path / "make")
    (tmp_path / "tools.env").write_text("MILL_VERSION=1\nMAVEN_DEPENDENCY_PLUGIN_VERSION=1\n")
    script(tmp_path / "bin" / "mvn", "#!/bin/sh\necho >>called\nsleep 1\ntouch .cache/tools/mill-dist-1.exe\n")
    return tmp_path


def test_a_second_set_up_of_a_tree_waits_and_says_so(tree):
    environment = os.environ | {"PATH": f"{tree / 'bin'}:{os.environ['PATH']}", "CACHE": ".cache"}
    command = ["make/setup.sh", "mill", ".cache/tools/mill-1"]
    both = [subprocess.Popen(command, cwd=tree, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(process.communicate()[1] for process in both)
    assert [process.returncode for process in both] == [0, 0] and (tree / "called").read_text() == "\n"
    assert "setup: another make sets up this tree (maven); mill waits for it" in said[0]
    assert "setup: fetching Mill" in said[1] and "another" not in said[1]


def test_a_tree_that_was_copied_does_not_use_the_compiled_scala_of_its_original(tree):
    """Mill would delete the original's classes."""
    script(tree / ".cache" / "tools" / "mill-1", "#!/bin/sh\ntouch out/compiled-$1\n")

    def mill(folder, word):
        variables = os.environ | {"CACHE": ".cache", "VENV": ".venv", "VEXRISCV_SOURCES": str(folder)}
        done = subprocess.run(["make/mill", "-", word], cwd=folder, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr, sorted(path.name for path in (folder / "out").glob("compiled-*"))

    copy = tree.with_name("copy")
    assert mill(tree, "a") == ("", ["compiled---no-server"])
    (tree / "out" / "compiled-old").write_text("")
    shutil.copytree(tree, copy)
    told, left = mill(copy, "b")
    assert "copied or moved" in told and left == ["compiled---no-server"]
    assert mill(copy, "c") == ("", left)
    assert mill(tree, "d") == ("", ["compiled---no-server", "compiled-old"])
