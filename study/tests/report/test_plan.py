"""What is measured for a report, and the workflow's steps for it."""

import os
import re
import subprocess
import sys

import made_up
import pytest

from base.errors import HeapwireError
from base.repository import ROOT
from study.bench import cereal, run
from study.report import plan


@pytest.fixture
def real(monkeypatch):
    """Lets the suite `protobuf` have the groups that it has with all real messages."""
    monkeypatch.setattr(plan, "data", lambda: [group.name for group in made_up.groups()[0]])


def test_a_whole_report_measures_every_suite(real):
    assert {suite.name for suite in plan.suites()} == set(run.SUITES)
    assert all(not suite.one_layout for suite in plan.suites())
    assert plan.suites(only=["heap"])[0].arguments(["whole"]).strip() == "heap --rows-only"
    (suite,) = plan.suites(only=["cereal"])
    assert [machine.name for machine in suite.machines] == [f"{name}-128" for name in cereal.MACHINES]


def test_groups_of_graphs_are_those_of_the_suite(monkeypatch):
    """The test names the groups itself, because graphs need the klass tables, which have to be built."""

    class Named:
        def __init__(self, *arguments, **_):
            self.name = arguments[0]

    monkeypatch.setattr(cereal, "Group", Named)
    monkeypatch.setattr(cereal, "Graph", Named)
    monkeypatch.setattr(cereal.Series, "graph", lambda *arguments: None)
    assert [group.name for group in cereal.groups(None)] == list(plan.GRAPHS)


def test_a_quick_report_is_a_part_and_says_so(real):
    quick, whole = plan.suites(True), {suite.key: suite for suite in plan.suites()}
    assert {suite.name for suite in quick} == set(plan.QUICK)
    for suite in quick:
        assert suite.one_layout and "--one-layout" in suite.arguments(suite.groups)
        assert set(suite.groups) <= set(whole[suite.key].groups)
    assert set(plan.cuts(True)) | {"memory"} == {*run.SUITES, "broadcast"} and plan.cuts(False) == {}


def test_sweeps_are_machines(real):
    found = plan.suites(widths=[64, 128], clocks=[1, 2])
    machines = [suite.machine.name for suite in found if suite.name == "memory"]
    assert machines == ["default-64", "default-64-clock2", "default-128", "default-128-clock2"]
    assert [machine.name for machine in plan.suites(only=["skyway"])[0].machines] == ["cereal-128", "skyway-128"]
    names = [machine.name for suite in found for machine in suite.machines]
    assert {"cereal-x2-64", "skyway-128-clock2"} <= set(names)
    assert not [name for name in names if "-x" in name and "clock2" in name]
    with pytest.raises(HeapwireError, match="the suite cereal measures several serializers.*--clocks 1"):
        plan.suites(only=["memory", "cereal"], clocks=[1, 2])
    boards = plan.suites(only=["core", "protobuf"], boards=["ulx3s", "ulx3s+stock"])[2:]
    assert [(suite.key, suite.machine.make) for suite in boards] == [
        ("core@like-ulx3s", "LIKE=ulx3s"),
        ("protobuf@like-ulx3s", "LIKE=ulx3s"),
        ("core@like-ulx3s-stock", "LIKE=ulx3s+stock"),
    ]
    machines = [suite.machine.name for suite in plan.suites(only=["protobuf"], configs=["full", "single"])]
    assert machines == ["default-128", "full-128", "single-128"]


def test_other_configurations_measure_messages_in_flight_alone():
    usual, full = plan.suites(only=["protobuf"], configs=["full"])
    assert set(full.groups) - {"jsbs"} == {"fields"} and {"fields", "macro", "sweeps"} < set(usual.groups)
    assert full.arguments(["fields"]) == "protobuf --rows-only --group fields --units-only"
    assert usual.arguments(["fields", "demo"]) == "protobuf --rows-only --group fields --group demo"
    assert [suite.key for suite in plan.suites(only=["protobuf"], configs=["full"], groups=["macro"])] == [usual.key]


def test_larger_graphs_wait_for_small_ones():
    (whole,) = plan.suites(only=["cereal"])
    assert whole.before("medium") == whole.before("large-tree-wide") == ("small",)
    assert whole.before("small") == whole.before("records") == ()
    (part,) = plan.suites(only=["cereal"], groups=["medium"])
    assert part.before("medium") == ()


def test_a_suite_that_is_not_there():
    with pytest.raises(HeapwireError, match="no suite memry; there are memory, core"):
        plan.suites(only=["memry"])


def dry_run(folder, *flags, more=()):
    """Returns what Snakemake prints of a workflow that would measure some groups, with its page in a folder. more:
    more of its configuration."""
    workflow = "-m snakemake --snakefile study/workflow/Snakefile --cores 1 --dry-run --nolock".split()
    chosen = ["suites=memory cereal", "groups=small records", f"bench={folder}/bench", f"report={folder}/report", *more]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = [sys.executable, *workflow, *flags, "--config", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def jobs(folder, *flags):
    """Returns how many jobs of each rule that workflow would run."""
    printed = dry_run(folder, "--quiet", "rules", *flags).splitlines()
    return dict(line.split() for line in printed if len(line.split()) == 2 and line.split()[1].isdigit())


def test_the_workflow_knows_what_to_do(tmp_path):
    """A dry run has each machine once, each group of a suite, and the page last."""
    counts = jobs(tmp_path, "--forceall")
    wanted = {"machine": "6", "group": "3", "suite": "2", "graphs": "1", "page": "1"}
    assert {name: counts.get(name) for name in wanted} == wanted
    assert "spark" not in counts, "Spark's programs are a whole report's, or asked for"
    assert "broadcast" not in counts, "the broadcast is measured beside the suite skyway"


def test_a_page_of_the_rows_that_exist_ends_no_report(tmp_path):
    """`make report` writes the page even if a group has failed. The next one measures what is missing all the same."""
    report = tmp_path / "report"
    for name in ("index.html", "results.md", "suites/cereal@cereal-128"):
        (report / name).parent.mkdir(parents=True, exist_ok=True)
        (report / name).touch()
    counts = jobs(tmp_path)
    assert {name: counts.get(name) for name in ("group", "suite", "page")} == {"group": "3", "suite": "2", "page": "1"}


def test_sizes_of_graphs_do_not_wait_for_a_machine_by_chance(tmp_path):
    """They need what the generator writes for the usual machine, which a report of other machines does not build."""
    printed = dry_run(tmp_path, "--forceall", "--printshellcmds")
    made, used = printed.index("make classes &&"), printed.index("-m study.report.graphs")
    assert made < used < made + 200


def test_make_takes_the_goals_of_the_workflow_for_each_machine(tmp_path):
    boards = "boards=ulx3s ulx3s+stock", "suites=memory core", "areas=default"
    printed = dry_run(tmp_path, "--forceall", "--printshellcmds", more=boards)
    called = set(re.findall(r"\bmake ((?:[a-z]+ )+(?:[A-Z_]+=[^\s;']+ ?)+)", printed))
    assert {"verilog classes LIKE=ulx3s+stock", "firmware sim LIKE=ulx3s"} <= {words.strip() for words in called}
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "LIKE")}
    for words in called:
        command = ["make", "-n", "SKIP_DEBIAN=1", *words.split()]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        # Make's refusals and missing rules. The dry run may end early, where a nested make lacks a generated file.
        assert not re.search(r"^([\w/.]+:\d+|make): \*\*\* (?!\[)", done.stderr, re.M), done.stderr
