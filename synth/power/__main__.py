"""`make power`: relative power of Cereal's units, and energy of serializers, by switching in the simulation."""
from __future__ import annotations

import sys
from statistics import mean

import click

from heapwire.errors import HeapwireError
from heapwire.simulation import parts as parts_of
from sim.run import SimulationError
from synth import netlist
from synth.budget import measure
from synth.power import activity, model, page, windows
from synth.power.components import DESERIALIZER, SERIALIZER, Component, shares
from synth.tools import ROOT
from synth.yosys import SynthesisError

CONFIG, TOP = "cereal", "HeapwireCluster"
UNITS = {"serialize": ("Serializer", "SerializationUnit", SERIALIZER), "deserialize": ("Deserializer", "DeserializationUnit", DESERIALIZER)}


def _say(text: str) -> None:
    print(f"power: {text}", file=sys.stderr, flush=True)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data-width", type=int, default=128, show_default=True)
def main(data_width: int) -> None:
    """Writes build/power/cereal-WIDTH.md."""
    try:
        print(_page(data_width))
    except (HeapwireError, SimulationError, SynthesisError) as error:
        sys.exit(str(error))


def _page(data_width: int) -> str:
    parts = parts_of(CONFIG, data_width)
    folder = ROOT / "build" / "power" / parts.name
    folder.mkdir(parents=True, exist_ok=True)
    verilog = parts.gen / f"{TOP}.v"
    text = verilog.read_text()
    modules = netlist.read(text)
    job = windows.job(parts, folder)
    runs = windows.runs(job, parts, _say)
    _say(f"waves of {len(runs)} runs")
    windows.waves(job, parts, runs, folder / "waves.fst")
    switching = activity.read(folder / "waves.fst", modules, TOP, [run.window for run in runs], netlist.unit_clocks(text, TOP))
    _say("area of the modules (minutes)")
    area = measure(verilog, TOP, folder, _say)
    powers = [model.powers(area, of) for of in switching]
    energies = [page.Energy(run, model.by_part(power, switching[0])) for run, power in zip(runs, powers)]
    sections = []
    for operation, (title, kind, components) in UNITS.items():
        chosen = [i for i, run in enumerate(runs) if (run.engine, run.operation) == (windows.UNIT, operation)]
        unit = next((path for path, of in switching[0].items() if of.module == kind), None)
        if unit is None:
            raise SynthesisError(f"power: the cluster has no {kind}")
        sections.append(page.table(title, _parts(area, switching, powers, chosen, unit, components)))
    page_text = "\n".join([f"# Power of `{parts.name}`", "", *sections, page.figure(energies), page.breakdown(energies)])
    (folder.parent / f"{parts.name}.md").write_text(page_text)
    return page_text


def _parts(area: object, switching: list, powers: list, chosen: list[int], unit: str, components: tuple[Component, ...]) -> list[page.Part]:
    of = switching[chosen[0]]
    kinds = {found.module for found in of.values()}
    luts = shares({path: model.Cost.of(area, found.module, kinds.__contains__).luts for path, found in of.items() if found.module in area.modules},
                  of, unit, components)
    power = [shares(powers[i], of, unit, components) for i in chosen]
    return [page.Part(component, luts[component.name], mean(found[component.name] for found in power)) for component in components]


if __name__ == "__main__":
    main()
