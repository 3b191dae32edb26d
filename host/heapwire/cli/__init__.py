"""The command line, `heapwire`; `heapwire --help` lists the commands."""

from __future__ import annotations

import sys

import click

from base.errors import BadInput, HeapwireError
from heapwire.cli import terminal
from heapwire.cli.demos import demo
from heapwire.cli.measure import check, over_a_line
from heapwire.cli.programs import debug, program
from heapwire.cli.schemas import accessors, decode, heaps, schema


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Object graphs between heap and wire, in hardware: the host's side."""


def _groups() -> list:
    from heapwire.measure import messages  # here, because protobuf's library comes with it, which takes a second

    return messages.groups()


for _command in (demo, program, schema, accessors, heaps, decode, debug, check):
    cli.add_command(_command)
cli.add_command(over_a_line(_groups), "bench")


def main(commands: click.Group = cli) -> None:
    """Runs a command line, this one by default. A usage error prints one message and exits with code 2. Any other error
    that the user can act upon prints one message and exits with code 1."""
    try:
        sys.exit(commands.main(standalone_mode=False) or 0)
    except click.ClickException as error:
        terminal.error(error.format_message())
        sys.exit(error.exit_code)
    except click.Abort:
        terminal.error("stopped")
        sys.exit(1)
    except HeapwireError as error:
        terminal.error(str(error))
        sys.exit(2 if isinstance(error, BadInput) else 1)
