"""The makefile's refusals before it builds anything, and the values that it passes on."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from base.repository import ROOT
from heapwire_litex.cluster import BASES, is_config
from study.bench.machines import OF_SUITE
from synth import compare

CACHE, VENV = os.environ.get("CACHE") or ".cache", os.environ.get("VENV") or ".venv"
WITH_FLAGS = re.search(r"^with_flags := (.*)$", (ROOT / "make" / "flags.mk").read_text(), re.MULTILINE)[1].split()


def dry_run(*arguments):
    """Runs `make -n` with these arguments, without the variables of an outer make."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name
        not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "LIKE", "SUITE", "ARGS")
    }
    return subprocess.run(
        ["make", "-n", "SKIP_DEBIAN=1", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def looks_first(lines, command):
    """Asserts that make has the command look at its arguments before anything is built."""
    asked = [i for i, line in enumerate(lines) if " ".join(line.split()).endswith(command) and "--parse-only" in line]
    assert asked and not [
        line for line in lines[: asked[0]] if re.search(r"mill|-m sim\.|-C firmware|verilog|setup.sh (?!python)", line)
    ], lines


@pytest.mark.parametrize("target, known", [("test", "accel"), ("test-full", "host")])
def test_a_mistyped_suite_is_refused_before_the_build(target, known):
    result = dry_run(target, "SUITE=memry")
    assert result.returncode and result.stdout == ""
    assert "no suite memry" in result.stderr and known in result.stderr


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["CONFIG=nosuch"], "no configuration 'nosuch'; there are: tiny default full"),
        (["CONFIG=tiny full"], "no configuration 'tiny full'"),
        (["DATA_WIDTH=48"], "no width of the memory port '48'; there are: 32 64 128"),
        (["UNIT_CLOCK=3"], "divider of the units' clock '3'; there are: 1 2"),
        (["LIKE=ulx3s"], "LIKE='ulx3s': it is for verilog classes sim firmware demo "),
        (["bench", "ARGS=--host"], "flags for one of these targets: demo program demo-skyway "),
        (["WORDS=400"], 'there is no WORDS=. What to do: make demo-skyway ARGS="--words COUNT"'),
        (["DATA=a`touch b`.bin"], "DATA: ` must not be in it. What to do: another file name"),
        (["SRC=$$HOME.c"], "SRC: $ must not be in it"),
        (['PROTO=a";b".proto'], 'PROTO: " must not be in it'),
        (["END=9"], 'there is no END=. What to do: make trace ARGS="--start CYCLE --end CYCLE"'),
    ],
)
def test_mistakes_are_told_before_the_build(arguments, text):
    result = dry_run("demo-skyway", *arguments)
    assert (result.returncode, result.stdout) == (2, "") and text in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "target, arguments", [("verilog", ["ARGS=--help"]), ("help", ["ARGS=--host"]), ("firmware", ["ARGS=--with-link"])]
)
def test_targets_without_flags_refuse_them(target, arguments):
    result = dry_run(target, *arguments)
    assert (result.returncode, result.stdout) == (
        2,
        "",
    ) and "ARGS: flags for one of these targets: demo " in result.stderr


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
        (["trace", "ELF=x.elf"], 'sim.trace --image "x.elf" --parse-only'),
        (["debug", "ELF=x.elf"], 'heapwire debug --elf "x.elf" --parse-only'),
        (["trace", "ELF=x.elf", "ARGS=--end 5"], 'sim.trace --image "x.elf" --parse-only --end 5'),
        (["bitstream", "BOARD=ulx3s", "ARGS=--seeds 8"], 'boards "ulx3s" --build --parse-only --seeds 8'),
        (["firmware", "BOARD=ulx3s", "ARGS=--with-link"], 'boards "ulx3s" --firmware --parse-only --with-link'),
        (["spark", "ARGS=--keep"], f"study.bench.spark --jars {CACHE}/spark --parse-only --keep"),
        (["conformance", "ARGS=--on twins"], f"heapwire.conformance.run {CACHE}/conformance --parse-only --on twins"),
        (["debug", "ELF=x.elf", "ARGS=--load 0=f"], 'heapwire debug --elf "x.elf" --parse-only --load 0=f'),
    ],
)
def test_a_command_looks_at_its_arguments_before_anything_is_built(words, command):
    built = (
        []
        if "BOARD=ulx3s" in words
        else ["-o", "firmware", "-o", "sim", "-o", "build/sim/default-128-trace/heapwire-sim"]
    )
    lines = dry_run(*built, *words).stdout.splitlines()
    looks_first(lines, f"-m {command}")
    if words[0] != "report":  # whose last line is what it says when it fails
        assert " ".join(lines[-1].split()).endswith(f"-m {command.replace(' --parse-only', '')}")


@pytest.mark.parametrize("target", WITH_FLAGS)
def test_a_wrong_flag_is_refused_by_the_command_and_a_right_one_is_not(target):
    """Runs what make runs before it builds anything."""

    def looked_at(flag):
        line, *_ = [
            line
            for line in dry_run(
                "-o",
                "firmware",
                target,
                *(["BOARD=ulx3s"] if target in ("bitstream", "load", "flash", "term", "debug") else []),
                *(
                    ["SRC=docs/start/program/greet.c", "PROTO=docs/start/program/guests.proto"]
                    if target == "program"
                    else []
                ),
                f"ARGS={flag}",
            ).stdout.splitlines()
            if "--parse-only" in line
        ]
        environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'host'}"}
        return subprocess.run(
            [sys.executable, *shlex.split(line)[1:]], cwd=ROOT, env=environment, capture_output=True, text=True
        )

    wrong, right = looked_at("--no-such-flag"), looked_at("--parse-only")
    assert wrong.returncode == 2 and "no-such-flag" in wrong.stderr
    assert (right.returncode, right.stdout) == (0, ""), right.stderr


def test_a_command_without_arguments_of_its_own_has_none_to_look_at():
    assert "--parse-only" not in dry_run("-o", "firmware", "-o", "sim", "demo").stdout


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_flags_are_shown_and_nothing_else_is_done(flag):
    for target in WITH_FLAGS:
        lines = dry_run("-o", f"{VENV}/.installed", target, f"ARGS={flag}").stdout.splitlines()
        assert (
            lines
            and " ".join(lines[-1].split()).endswith(flag)
            and not [line for line in lines if re.search("setup|--parse-only|mill|-C ", line)]
        ), lines


def test_help_lists_few_variables():
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    table = told.partition("Variables (")[2].partition("Flags (")[0]
    assert re.findall(r"^  ([A-Z_]+) ", table, re.MULTILINE) == [
        "CONFIG",
        "DATA_WIDTH",
        "LIKE",
        "SUITE",
        "SRC",
        "PROTO",
        "TYPE",
        "DATA",
        "ELF",
        "BOARD",
        "DEVICE",
        "QUICK",
        "ARGS",
    ]
    assert "make area ARGS=--help" in told


@pytest.mark.parametrize(
    "config, has", [("cereal-x2", False), ("skyway", False), ("bare", False), ("tiny", True), ("full-k64", True)]
)
def test_the_demo_wants_an_engine_for_protobuf(config, has):
    result = dry_run("-o", "firmware", "-o", "sim", "demo", f"CONFIG={config}")
    assert (result.returncode == 0) == has
    assert has or f"demo: CONFIG={config} has no engine for protobuf. What to do: " in result.stderr


def test_configurations_are_those_that_boards_know():
    told = dry_run("help", "CONFIG=nosuch").stderr
    assert told.partition("there are: ")[2].partition(".")[0].partition(" (")[0].split() == list(BASES)


@pytest.mark.parametrize(
    "name, known",
    [
        ("cereal-x4", True),
        ("skyway-x2-e32-k128", True),
        ("cereal-vanilla-k64", True),
        ("cereal-e32-x2", False),
        ("cereal-x", False),
        ("x2", False),
    ],
)
def test_parameters_may_follow_a_configuration(name, known):
    assert (dry_run("help", f"CONFIG={name}").returncode == 0) == known == is_config(name)


@pytest.mark.parametrize("target, suite", [("test", ""), ("test", "host soc")])
def test_suites_that_exist_are_accepted(target, suite):
    result = dry_run(f"known-{target}-suite", f"SUITE={suite}")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("suite, simulates", [("", True), ("host soc", True), ("debug", True), ("host", False)])
def test_only_suites_that_simulate_the_system_build_simulators(suite, simulates):
    built = [
        word for target in ("test-tools", "firmware", "budgeted-cluster", "litex-cluster") for word in ("-o", target)
    ]
    lines = dry_run(*built, "test", f"SUITE={suite}").stdout.splitlines()
    assert any("no-print-directory sim" in line for line in lines) == simulates
    assert lines[-1].endswith(f"tests/run {suite}")


@pytest.mark.parametrize("suite, alone", [("cereal skyway", True), ("skyway core", False), ("", False)])
def test_suites_with_machines_of_their_own_need_no_other(suite, alone):
    built = [
        word for target in ("firmware", "sim", *(f"{suite}-machines" for suite in OF_SUITE)) for word in ("-o", target)
    ]
    (line,) = [
        line
        for line in dry_run(*built, "bench", f"SUITE={suite}").stdout.splitlines()
        if "study bench" in line and "--parse-only" not in line
    ]
    assert line.strip().startswith("CONFIG=cereal ") == alone


def test_make_knows_the_suites_with_machines_of_their_own():
    text = (ROOT / "make" / "suites.mk").read_text() + (ROOT / "Makefile").read_text()
    assert set(re.search(r"^suites_with_own *:?= (.*)$", text, re.MULTILINE)[1].split()) == OF_SUITE.keys()
    printed = subprocess.run(
        [sys.executable, "-m", "study.bench.machines", "sweep"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "host")},
    )
    assert tuple(printed.stdout.split()) == OF_SUITE["sweep"]


def test_memory_follows_the_width():
    assert "--data-width 64 --memory-mb 128 " in dry_run("--always-make", "verilog", "DATA_WIDTH=64").stdout


def test_units_at_half_of_the_clock_have_folders_of_their_own():
    lines = dry_run("--always-make", "verilog", "UNIT_CLOCK=2").stdout
    assert "--unit-clock-divider 2)" in lines and "build/gen/default-128-clock2" in lines
    assert "--unit-clock-divider 1)" in dry_run("--always-make", "verilog").stdout


def test_a_board_to_be_like_decides_what_is_built():
    lines = dry_run("--always-make", "sim", "TRAIN=", "LIKE=orangecrab-25f").stdout
    assert 'sim.like "orangecrab-25f"' in lines and 'build/soc/like-orangecrab-25f --like "orangecrab-25f"' in lines
    assert (
        "OUT=build/sim/like-orangecrab-25f-noise/ "
        in dry_run("--always-make", "sim", "TRAIN=", "NOISE=1", "LIKE=orangecrab-25f").stdout
    )
    assert "--config" not in dry_run("trace", "LIKE=ulx3s").stdout


def test_a_board_may_have_the_cpu_of_litex():
    lines = dry_run("--always-make", "sim", "TRAIN=", "LIKE=ulx3s+stock").stdout
    assert 'build/soc/like-ulx3s-stock --like "ulx3s" --stock' in lines
    assert "CPU=build/soc/like-ulx3s-stock/cpu.v " in lines and "OUT=build/sim/like-ulx3s-stock/ " in lines
    assert (
        "CPU=build/gen/like-ulx3s/HeapwireCluster.v " in dry_run("--always-make", "sim", "TRAIN=", "LIKE=ulx3s").stdout
    )


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["sim", "LIKE=nosuch"], "LIKE='nosuch': no such board; there are: ulx3s colorlight_i5 "),
        (["sim", "LIKE=ulx3s ecpix5"], "one board"),
        (["sim", "LIKE=ulx3s", "CONFIG=tiny"], "CONFIG is the board's"),
        (["test", "LIKE=ulx3s"], "it is for verilog classes sim "),
        (["bench", "LIKE=ulx3s"], "name suites with SUITE="),
        (["bench", "LIKE=ulx3s", "SUITE=core cereal"], "cereal skyway sweep have machines of their own"),
        (["sim", "LIKE=ulx3s+fast"], "LIKE='ulx3s+fast': no such board"),
        (["sim", "LIKE=ulx3s", "STOCK=1"], "What to do: LIKE=BOARD+stock"),
        (["demo", "LIKE=ulx3s+stock"], "LiteX's own CPU is for sim firmware bench"),
        (["bench", "LIKE=ulx3s+stock", "SUITE=core protobuf"], "SUITE=core is what it can measure"),
    ],
)
def test_what_no_board_can_be_like(arguments, text):
    result = dry_run(*arguments)
    assert result.returncode == 2 and text in result.stderr.splitlines()[-1]


STUB_MAKE = """#!/bin/sh
# The nested make: what it would do goes to a file, and the cluster is there afterwards.
/usr/bin/make -n "$@" >>"$DONE" || exit 1
while [ "$1" != -C ]; do shift; done
mkdir -p "$2/build/gen/tiny-32" && touch "$2/build/gen/tiny-32/HeapwireCluster.v"
"""
STUB_PYTHON = """#!/bin/sh
# The synthesis: `area.json` in the folder that it is given.
while [ "$1" != --output ]; do shift; done
mkdir -p "$2" && echo '{}' >"$2/area.json"
"""


@pytest.fixture
def comparison(tmp_path):
    """Returns a repository with an environment and our makefiles, and a function that compares its area with that of a
    revision."""
    root, bin_folder, done = tmp_path / "tree", tmp_path / "bin", tmp_path / "done"

    def git(*arguments):
        return subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x", *arguments],
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def script(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    for name in (
        "Makefile",
        "build.sc",
        "pyproject.toml",
        "tools.env",
        ".gitignore",
        "make",
        "synth",
        "accel/src/heapwire/core/ClusterConfig.scala",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, root / name)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    script(bin_folder / "make", STUB_MAKE)
    script(root / ".venv" / "bin" / "python", STUB_PYTHON)
    sources = (
        root
        / ".venv"
        / "lib"
        / "python3"
        / "site-packages"
        / "pythondata_cpu_vexriscv"
        / "verilog"
        / "ext"
        / "VexRiscv"
        / "src"
        / "main"
        / "scala"
    )
    sources.mkdir(parents=True)
    (root / ".venv" / ".installed").touch()
    (root / ".cache" / "tools").mkdir(parents=True)

    def run():
        done.write_text("")
        result = subprocess.run(
            ["make/compare-area", git("rev-parse", "HEAD").strip(), "tiny-32", "build/area/result.json"],
            cwd=root,
            text=True,
            capture_output=True,
            env={
                "PATH": f"{bin_folder}:{os.environ['PATH']}",
                "DONE": str(done),
                "CACHE": ".cache",
                "VENV": ".venv",
                "HOME": str(tmp_path),
            },
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return done.read_text()

    run.root, run.git = root, git
    return run


def test_comparing_areas_leaves_the_environment_alone(comparison):
    """The revision's pyproject.toml, checked out a moment ago, is newer than the environment. That alone does not set
    the environment up again."""
    assert "setup.sh python" not in comparison()
    assert (comparison.root / "build" / "area" / "result.json").exists() and (
        comparison.root / ".venv" / "bin" / "python"
    ).exists()
    assert list((comparison.root / "build" / "area").glob("*/tree")) == []


def test_a_revision_with_another_core_gets_an_environment_of_its_own(comparison):
    pins = comparison.root / "pyproject.toml"
    ours = pins.read_text()
    pins.write_text(ours.replace("pythondata-cpu-vexriscv==", "pythondata-cpu-vexriscv==0."))
    comparison.git("commit", "-qam", "another core")
    pins.write_text(ours)
    planned = comparison()
    assert "setup.sh python" in planned and "touch .venv/.installed" in planned
    assert (comparison.root / ".venv" / "bin" / "python").exists()


def test_mill_finds_the_core_in_an_environment_anywhere(comparison):
    """`VENV` may be absolute."""
    mill = comparison.root / ".cache" / "tools" / re.search(r"MILL_VERSION=(.*)", (ROOT / "tools.env").read_text())[1]
    mill = mill.with_name("mill-" + mill.name)
    mill.write_text("#!/bin/sh\necho $VEXRISCV_SOURCES\n")
    mill.chmod(0o755)
    for venv in (".venv", comparison.root / ".venv"):
        found = subprocess.run(
            ["make/mill"],
            cwd=comparison.root,
            env={"PATH": os.environ["PATH"], "VENV": str(venv)},
            text=True,
            capture_output=True,
        )
        assert (comparison.root / ".venv").samefile(found.stdout.split("/lib/")[0]), found.stderr


def test_an_area_is_measured_anew_by_another_synthesis(comparison):
    def compared():
        return compare.place(compare.number("HEAD", comparison.root), "tiny-32", comparison.root)

    before = compared()
    assert before == compared() and before.parent.name == comparison.git("rev-parse", "--short=12", "HEAD").strip()
    with (comparison.root / "synth" / "target.py").open("a") as file:
        file.write("# other weights\n")
    assert compared() != before
