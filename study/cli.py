"""The study's command line: `python -m study COMMAND`."""

import click

from heapwire import cli as machine
from heapwire.cli.measure import over_a_line
from study.bench.command import bench
from study.bench.monitor import monitor
from study.profile.command import profile
from study.shuffle.command import demo_skyway


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """The papers' systems, measured beside one another."""


def _groups() -> list:
    from study.bench import cases  # here, because protobuf's library comes with it, which takes a second

    return cases.groups()


cli.add_command(bench)
cli.add_command(demo_skyway)
cli.add_command(monitor)
cli.add_command(profile)
cli.add_command(over_a_line(_groups), "bench-line")


def main() -> None:
    """Runs the command line as the machine's: one message and an exit code for each error."""
    machine.main(cli)
