"""`make profile`."""

from dataclasses import replace
from fnmatch import fnmatch

import click
from rich.table import Table

from base.errors import HeapwireError
from heapwire.cli import terminal
from heapwire.cli.terminal import DATA, IMPORTS, PARSE_ONLY, PROTO, TYPE, need
from heapwire.measure.messages import no_group
from study.profile.cycles import ACTIVITIES, Profile, Profiler


def _named(pattern: str) -> list:
    """Returns the groups with those of their cases that the pattern names and the engine runs."""
    from study.bench.cases import groups

    wanted = (pattern, f"{pattern}/*", f"*/{pattern}")
    known = groups()
    found = [
        replace(group, cases=[c for c in group.cases if "hw" in c.engines and any(fnmatch(c.name, w) for w in wanted)])
        for group in known
    ]
    if not any(group.cases for group in found):
        raise HeapwireError(no_group([pattern], [group.name for group in known]))
    return [group for group in found if group.cases]


def _table(title: str, profile: Profile) -> Table:
    def mean(number: int) -> str:
        return f"{number / profile.messages:,.{1 if profile.messages > 1 else 0}f}" if number else ""

    table = Table(title=f"{title}: {profile.of() / profile.messages:,.0f} cycles", title_justify="left")
    shown = [activity for activity in ACTIVITIES if profile.of(activity=activity)]
    for head in ("", "times", "cycles", "share", *shown):
        table.add_column(head, justify="right" if head else "left")
    kinds = sorted({kind for kind, _ in profile.cycles}, key=profile.of, reverse=True)
    for kind in (*kinds, None):
        cycles, times = profile.of(kind), profile.events[kind]
        parts = (mean(profile.of(kind, activity)) for activity in shown)
        table.add_row(kind or "sum", mean(times), mean(cycles), f"{cycles / profile.of():.0%}", *parts)
    return table


@click.command()
@click.argument("message", required=False)
@PROTO
@IMPORTS
@TYPE
@DATA
@click.option("--latency", default=12, type=click.IntRange(1), help="Cycles until memory answers.")
@click.option("--labels", is_flag=True, help="By labels of the program instead of kinds.")
@PARSE_ONLY
def profile(message, proto, imports, type_name, data, latency, labels, parse_only) -> None:
    """Show where the engine's cycles go as it reads and writes MESSAGE, one that the suite protobuf has (demo/profile),
    the mean of several (demo, fleetbench, "*/media.?"), or a message of your own."""
    from heapwire import demo, interface

    if proto or type_name or data:
        need(proto=proto, type=type_name, data=data)
        if message:
            raise click.UsageError("MESSAGE and --proto: give only one of them")
        groups = [demo.user_group(proto, type_name, data, imports)]
    else:
        groups = _named(message := message or "demo")
    if parse_only:
        return
    profiler = Profiler(interface.load(), latency, labels)
    names, reads, writes = zip(*(found for group in groups for found in profiler.profiles(group)))
    name = names[0] if len(names) == 1 else f"{message}, mean of {len(names)}"
    for way, profiles in (("read", reads), ("written", writes)):
        terminal.console.print(_table(f"{name}, {way}", sum(profiles, Profile())))
