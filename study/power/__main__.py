"""`make power`: relative power of Cereal's units, and energy of serializers, from switching in the simulation."""

import sys
from statistics import mean
from typing import Mapping, Sequence

import click

from base.errors import HeapwireError
from base.repository import ROOT
from base.waiting import Say, waiting
from heapwire.simulation import parts as parts_of
from sim.run import SimulationError
from study.power import activity, components, model, page, windows
from study.power.activity import Switching
from study.power.model import Power, Weights
from study.report import markdown
from study.report.content import Item, Page, Part
from synth import netlist
from synth.area import Area
from synth.budget import measure
from synth.yosys import SynthesisError

CONFIG, TOP = "cereal", "HeapwireCluster"
UNITS = {
    "serialize": ("Serializer", "SerializationUnit", components.SERIALIZER),
    "deserialize": ("Deserializer", "DeserializationUnit", components.DESERIALIZER),
}
CLOCKS = (0.1, Weights().clock, 0.5)
"""Weights of a flip-flop's clock to compare."""


def _say(text: str) -> None:
    print(f"power: {text}", file=sys.stderr, flush=True)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data-width", type=int, default=128, show_default=True)
def main(data_width: int) -> None:
    """Write build/power/cereal-WIDTH.md."""
    try:
        with waiting(_say, lambda minutes: f"{minutes:.1f} min so far") as say:
            print(_measured(data_width, say))
    except (HeapwireError, SimulationError, SynthesisError) as error:
        sys.exit(str(error))


def _measured(data_width: int, say: Say) -> str:
    parts = parts_of(CONFIG, data_width)
    folder = ROOT / "build" / "power" / parts.name
    folder.mkdir(parents=True, exist_ok=True)
    text = (parts.gen / f"{TOP}.v").read_text()
    job = windows.job(parts, folder)
    say("the image runs, once to learn when, once for the waves")
    runs = windows.runs(job, parts)
    windows.waves(job, parts, runs, folder / "waves.fst")
    say("reading the waves")
    switching = activity.read(
        folder / "waves.fst", netlist.read(text), TOP, [run.window for run in runs], netlist.unit_clocks(text, TOP)
    )
    say("area of the modules (minutes)")
    made = report(measure(parts.gen / f"{TOP}.v", TOP, folder, say), runs, switching, parts.name)
    page_file = folder.parent / f"{parts.name}.md"
    page_file.write_text(made)
    say(f"written: {page_file.relative_to(ROOT)}")
    return made


def report(area: Area, runs: Sequence[windows.Run], switching: Sequence[Mapping[str, Switching]], name: str) -> str:
    """Returns the page. switching: by run."""
    costs = model.costs(area, switching[0])

    def energies(weights: Weights) -> list[page.Energy]:
        return [
            page.Energy(run, model.by_part(model.powers(costs, of, weights), of)) for run, of in zip(runs, switching)
        ]

    def of_unit(operation: str) -> list[Mapping[str, Switching]]:
        return [of for run, of in zip(runs, switching) if (run.engine, run.operation) == (windows.UNIT, operation)]

    sections = [_unit(costs, of_unit(operation), *unit) for operation, unit in UNITS.items()]
    measured = energies(Weights())
    sensitivity = page.sensitivity({clock: energies(Weights(clock=clock)) for clock in CLOCKS})
    items = [*sections, page.figure(measured), page.breakdown(measured), sensitivity]
    return markdown.page(Page(f"Power of `{name}`", (), [Part("power", "Estimated", (), items)]))


def _unit(
    costs: Mapping[str, model.Cost],
    switching: Sequence[Mapping[str, Switching]],
    title: str,
    kind: str,
    of: tuple[components.Component, ...],
) -> Item:
    unit = next((path for path, found in switching[0].items() if found.module == kind), None)
    if unit is None:
        raise SynthesisError(f"power: the cluster has no {kind}")
    made = components.shares(costs, model.Cost(0, 0, 0), switching[0], unit, of)
    # A sleeping unit takes no power. So its power while awake is its power divided by the share of cycles in which it
    # is awake.
    powers = []
    for found in switching:
        awake = {path: power / found[unit].clocked for path, power in model.powers(costs, found).items()}
        powers.append(components.shares(awake, Power(), found, unit, of))
    means = {each.name: _mean([found[each.name] for found in powers]) for each in of}
    parts = [page.Part(component, made[component.name], means[component.name]) for component in of]
    return page.unit(title, parts, mean(found[unit].clocked for found in switching))


def _mean(powers: Sequence[Power]) -> Power:
    return sum(powers, Power()) / len(powers)


if __name__ == "__main__":
    main()
