"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

from base.errors import HeapwireError

PROTO = click.option("--proto", type=click.Path(path_type=Path), help="Schema: a .proto file or a FileDescriptorSet.")
TYPE = click.option("--type", "type_name", help="Message type, e.g. pkg.Message.")
DATA = click.option("--data", type=click.Path(path_type=Path), help="File with one encoded message.")
PARSE_ONLY = click.option("--parse-only", is_flag=True, help="Only look at the arguments: no machine is needed.")
LINK = click.option("--link", help="Talk to this monitor (host:port or a serial device) instead of a simulation.")


def need(**options: object) -> None:
    """Raises HeapwireError if one of the options of a message of one's own is missing."""
    missing = [f"--{name} (make: {name.upper()}=)" for name, value in options.items() if not value]
    if missing:
        raise HeapwireError(f"a message of your own takes --proto, --type and --data; missing: {', '.join(missing)}")
