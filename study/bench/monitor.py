"""`python -m study monitor`: a monitor for `bench-line` with the peers' code of a group of messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import firmware
from heapwire.measure.messages import no_group
from heapwire.simulation import Parts, parts
from heapwire.workload.group import Group
from study.bench import built, upb


def image(group: Group, machine: Parts, name: str) -> Path:
    """Builds the monitor in build/study/monitor/`name`. Returns its ELF; the file for a board is beside it."""
    out = ROOT / "build" / "study" / "monitor" / name
    peers = out / "peers"
    if not firmware.generate_peers(group.schema, group.roots, peers):
        raise HeapwireError(f"{group.name}: nanopb does not support its messages. What to do: another --group")
    return built.image("monitor", machine, out, peers, described=upb.describe(group.schema, group.roots, out / "upb"))


@click.command()
@click.option("--group", "name", default="demo", show_default=True, help="The messages whose code it gets.")
@click.option("--board", help="For this board, for which `make firmware BOARD=` has been run; otherwise simulated.")
@click.option("--device", help="With --board: the part on it.")
@click.option("--config", help="With --board: the configuration, if it is not the board's own.")
def monitor(name: str, board: str | None, device: str | None, config: str | None) -> None:
    """Build a monitor with nanopb and upb, for the messages of one group, that bench-line can measure."""
    from heapwire import board as described
    from study.bench import cases

    groups = {group.name: group for group in cases.groups()}
    if name not in groups:
        raise HeapwireError(no_group([name], list(groups)))
    machine = parts()
    if board:
        from boards import boards as known
        from boards import cluster

        gen, found = described.interface(board, device, config).path.parent, known()[board]
        device = device or found.default
        soc = cluster.name(found, device, config or found.variants[device].config)
        machine = replace(machine, gen=gen, soc=ROOT / "build" / "boards" / soc)
    elf = image(groups[name], machine, f"{machine.soc.name}-{name}")
    click.echo(f"written: {elf}, {elf.with_suffix('.bin')}")
