"""Relative power: the reading of waves, the model, the component of each instance, and the page."""

import pytest
from pylibfst import ffi, lib

from base.repository import ROOT
from study.power import __main__ as command
from study.power import activity, components, model, page, windows
from study.power.activity import Switching
from study.power.model import Cost, Power
from study.report import markdown
from study.report.content import Page, Part
from synth import netlist
from synth.area import Area, Module
from synth.yosys import SynthesisError

CLUSTER = """
module HeapwireCluster (
  input  wire          clk,
  input  wire [1:0]    unit_clk,
  input  wire [7:0]    io_a,
  output wire [7:0]    io_b
);
  wire                _zz_1;
  wire       [7:0]    unit_1_io_b;
  assign _zz_1 = unit_clk[1];
  Unit unit_1 (
    ._zz_1  (_zz_1             ), //i
    .io_a   (io_a              ), //i
    .io_b   (unit_1_io_b[7:0]  )  //o
  );
endmodule

module Unit (
  input  wire          _zz_1,
  input  wire [7:0]    io_a,
  output wire [7:0]    io_b
);
  Part part (
    ._zz_1  (_zz_1        ), //i
    .io_b   (io_b[7:0]    )  //o
  );
endmodule

module Part (
  input  wire          _zz_1,
  output reg  [7:0]    io_b
);
  always @(posedge _zz_1) begin
    io_b <= io_b + 8'h01;
  end
endmodule
"""
MODULES = netlist.read(CLUSTER)
SLEEPERS = netlist.unit_clocks(CLUSTER, "HeapwireCluster")


class Waves:
    """Writes an FST file of the cluster: its clocks, an input, a register of the unit's part with an alias, and the
    part's output."""

    def __init__(self, path, top="HeapwireCluster", clocks="unit_clk"):
        self.file = lib.fstWriterCreate(str(path).encode(), 0)
        for scope in ("soc", top):
            self._scope(scope)
        self.clock = self._variable(f"{clocks} [1:0]", 2, lib.FST_VD_INPUT)
        self.output = self._variable("unit_1_io_b [7:0]", 8, lib.FST_VD_IMPLICIT)
        self._scope("unit_1")
        self.input = self._variable("io_a [7:0]", 8, lib.FST_VD_INPUT)
        self._scope("part")
        self.register = self._variable("io_b [7:0]", 8, lib.FST_VD_OUTPUT)
        self._variable("again [7:0]", 8, lib.FST_VD_IMPLICIT, self.register)

    def _scope(self, name):
        lib.fstWriterSetScope(self.file, lib.FST_ST_VCD_MODULE, name.encode(), ffi.NULL)

    def _variable(self, name, width, direction, same=0):
        return lib.fstWriterCreateVar(self.file, lib.FST_VT_VCD_WIRE, direction, width, name.encode(), same)

    def cycle(self, number, register, clocked=True):
        lib.fstWriterEmitTimeChange(self.file, number * activity.STEPS)
        self._put(self.clock, 2, 2 * clocked)
        for variable in (self.register, self.output):
            self._put(variable, 8, register)
        self._put(self.input, 8, 0xFF * (number % 2))
        lib.fstWriterEmitTimeChange(self.file, number * activity.STEPS + 5)
        self._put(self.clock, 2, 0)

    def _put(self, variable, width, value):
        lib.fstWriterEmitValueChange(self.file, variable, format(value, f"0{width}b").encode())

    def close(self):
        lib.fstWriterClose(self.file)


def test_an_instance_switches_as_its_own_signals(tmp_path):
    waves = Waves(tmp_path / "a.fst")
    for cycle in range(10, 20):
        waves.cycle(cycle, 3 * (cycle % 2))
    waves.close()
    (found,) = activity.read(tmp_path / "a.fst", MODULES, "HeapwireCluster", [(10, 19)], SLEEPERS)
    assert SLEEPERS == {"unit_1": 1} and set(found) == {"", "unit_1", "unit_1.part"}
    # Two bits switch in nine of ten cycles, because changes in the first cycle do not count. An input, an alias and
    # signals that an inner instance drives do not count either.
    assert found["unit_1.part"] == Switching("Part", 8, pytest.approx(1.8), pytest.approx(1))
    assert found["unit_1.part"].rate == pytest.approx(1.8 / 8)
    assert (found[""].bits, found[""].toggles, found[""].clocked) == (0, 0, 1)
    assert (found["unit_1"].bits, found["unit_1"].rate, found["unit_1"].clocked) == (0, 0, 1)


def test_windows_are_apart_and_what_sleeps_has_no_clock(tmp_path):
    waves = Waves(tmp_path / "a.fst")
    for cycle in range(4):
        waves.cycle(cycle, 0xFF * (cycle % 2))
    for cycle in range(100, 110):
        waves.cycle(cycle, 0x0F, clocked=cycle % 2 == 0)
    for cycle in range(200, 204):
        waves.cycle(cycle, 0x0F, clocked=False)
    waves.close()
    busy, half, still = activity.read(
        tmp_path / "a.fst", MODULES, "HeapwireCluster", [(0, 3), (100, 109), (200, 203)], SLEEPERS
    )
    assert busy["unit_1.part"].toggles == 6 and busy["unit_1.part"].clocked == 1
    assert half["unit_1.part"].clocked == half["unit_1"].clocked == pytest.approx(0.5)
    assert (still["unit_1.part"].toggles, still["unit_1.part"].clocked, still[""].clocked) == (0, 0, 1)


def test_what_are_no_waves_of_the_cluster_is_said(tmp_path):
    def read(**names):
        waves = Waves(tmp_path / "a.fst", **names)
        waves.cycle(0, 1)
        waves.close()
        activity.read(tmp_path / "a.fst", MODULES, "HeapwireCluster", [(0, 1)], SLEEPERS)

    (tmp_path / "none.fst").write_bytes(b"nothing")
    with pytest.raises(SynthesisError, match="no FST file"):
        activity.read(tmp_path / "none.fst", MODULES, "HeapwireCluster", [(0, 1)])
    with pytest.raises(SynthesisError, match="no HeapwireCluster"):
        read(top="Other")
    with pytest.raises(SynthesisError, match="no unit_clk"):
        read(clocks="others")


def still(kinds):
    """Returns instances with a clock in which nothing switches. kinds: their modules by path."""
    return {path: Switching(module, 1, 0, 1) for path, module in kinds.items()}


def area(**modules):
    return Area(
        "HeapwireCluster",
        {
            name: Module(name, {f"ecp5.{what}": value for what, value in zip(("LUT", "FF", "BRAM"), own)}, children)
            for name, (own, children) in modules.items()
        },
    )


AREA = area(
    HeapwireCluster=((10, 0, 0), {"Unit": 2, "Ram": 1, "Arbiter_1": 1}),
    Unit=((100, 40, 1), {}),
    Ram=((0, 0, 2), {}),
    Arbiter_1=((4, 0, 0), {}),
)


def test_activity_times_capacitance():
    weights = model.Weights(lut=1, flip_flop=2, clock=0.5, block_ram=8)
    of = {
        "": Switching("HeapwireCluster", 4, 2, 1),
        "a": Switching("Unit", 10, 0, 0),
        "b": Switching("Unit", 10, 1, 0.5),
        "gone": Switching("Gone", 8, 8, 1),
    }
    found = model.powers(model.costs(AREA, of), of, weights)
    # The waves do not tell the memory apart, so that it counts with the instance around it. Instances that synthesis
    # has removed do not count.
    assert found == {
        "": Power(pytest.approx(14 * 0.5), pytest.approx(2 * 8)),
        "a": Power(0, 0),
        "b": Power(pytest.approx((100 + 80) * 0.1), pytest.approx((40 * 0.5 + 8) * 0.5)),
    }
    assert found["b"].all == pytest.approx(32)


def test_parts_of_the_cluster_have_what_is_in_them():
    of = still({"": "HeapwireCluster", "core": "CoreComplex", "core.cpu": "Cpu", "arbiter_3": "Arbiter_1"})
    found = model.by_part({"": Power(1), "core": Power(2), "core.cpu": Power(0, 4), "arbiter_3": Power(8)}, of)
    assert found == {"HeapwireCluster": Power(9), "CoreComplex": Power(2, 4)}


def test_components_have_what_is_in_them():
    managed = {"s.pipeline_manager": "HeaderManager", "s.pipeline_manager.fifo": "StreamFifo"}
    readers = {"s.objects": "SpanReader_1", "s.headers": "SpanReader", "s.pipeline_section": "PackedSection_1"}
    of = still({"s": "SerializationUnit"} | managed | readers | {"t": "Other"})
    found = components.shares({path: 1 << i for i, path in enumerate(of)}, 0, of, "s", components.SERIALIZER)
    named = ("header manager", "object handler", "reference array writer")
    assert [found[name] for name in named] == [2 + 4 + 16, 8, 32]
    assert found[components.REST] == 1 and sum(found.values()) == 63


CLUSTER = ROOT / "build" / "gen" / "skyway-x2-128" / "HeapwireCluster.v"


GLUE = ("WriteGuard", "Arbiter", "StreamArbiter", "StreamMux", "StreamDemux", "StreamFifo")
SKYWAY = ("RelativeMerge", "ChunkWalker", "GranuleReader")
"""Modules of Skyway's modes. The configuration `cereal`, whose power the report tells, does not have them."""


@pytest.mark.skipif(not CLUSTER.exists(), reason="make verilog CONFIG=skyway-x2: `make test` makes it")
@pytest.mark.parametrize("kind, of", [(kind, of) for _, kind, of in command.UNITS.values()])
def test_only_what_holds_a_unit_together_is_in_no_component(kind, of):
    kinds = activity.instances(netlist.read(CLUSTER.read_text()), "HeapwireCluster")
    switching = still(kinds)
    unit = next(path for path, module in kinds.items() if module.startswith(kind))
    direct = {path: kinds[path] for path in kinds if path.startswith(unit + ".") and "." not in path[len(unit) + 1 :]}
    for path, module in direct.items():
        component = next(name for name, found in components.shares({path: 1}, 0, switching, unit, of).items() if found)
        assert (component == components.REST) == module.startswith((*GLUE, *SKYWAY)), (path, module)
    # Every component has something.
    assert all(components.shares(dict.fromkeys([unit, *direct], 1), 0, switching, unit, of).values())


@pytest.mark.parametrize("cycles, expected", [(50, (108, 157)), (windows.LONGEST + 100, (158, 157 + windows.LONGEST))])
def test_a_window_is_the_middle_of_its_run(cycles, expected):
    assert windows.window(100, cycles) == expected


def run(operation, engine, cycles, graph="tree"):
    return windows.Run(graph, operation, engine, cycles, (0, 1))


ENGINES = (("java", 1000, 10), ("kryo-generic", 500, 10), ("kryo-manual", 400, 10), ("hw", 100, 20))


def shown(item):
    return markdown.page(Page("", (), [Part("", "", (), [item])]))


def test_the_page_compares_energies():
    energies = [
        page.Energy(run(operation, engine, cycles), {"Core": Power(power - 5, 1), "Fabric": Power(0, 4)})
        for operation in page.OPERATIONS
        for engine, cycles, power in ENGINES
    ]
    text = shown(page.figure(energies))
    assert "| tree, serialize | 1.00 (1,000) | 2.00 (500) | 2.50 (400) | 5.00 (100) |" in text
    assert "| 1 | 1.39 |  | 313.6 |" in text
    text = shown(page.breakdown(energies))
    assert "| Core | 6 | 6 | 6 | 16 | 6 | 6 | 6 | 16 |" in text
    assert "| **all** | **10** | **10** | **10** | **20** |" in text
    assert "| 0.5 | 5.0 | 5.0 |" in shown(page.sensitivity({0.5: energies}))


def test_the_page_has_shares_of_what_the_paper_has():
    parts = [
        page.Part(components.Component("a", (), 1.0, 3.0), Cost(300, 1, 2), Power(2, 3)),
        page.Part(components.Component("b", (), 3.0, 1.0), Cost(100, 0, 0), Power(10, 5)),
        page.Part(components.Component("c", ()), Cost(1000, 0, 0), Power(0, 0)),
    ]
    text = shown(page.unit("serializer", parts, 0.5))
    assert "| a | 300 | 1 | 2 | 2 | 3 | 75 % | 25 % | 25 % | 75 % |" in text
    assert "| c | 1,000 | 0 | 0 | 0 | 0 |  |  |  |  |" in text and "in 50 % of a call" in text
    assert "| **all** | **1,400** | **1** | **2** | **12** | **8** |  |  |  |  |" in text


def test_a_units_power_is_that_of_the_cycles_in_which_it_is_awake():
    of = {
        "": Switching("HeapwireCluster", 1, 0, 1),
        "s": Switching("SerializationUnit", 10, 1, 0.5),
        "s.m": Switching("HeaderManager", 10, 0, 0.5),
        "d": Switching("DeserializationUnit", 10, 0, 0.25),
    }
    made = area(
        HeapwireCluster=((0, 0, 0), {"SerializationUnit": 1, "DeserializationUnit": 1}),
        SerializationUnit=((100, 0, 0), {"HeaderManager": 1}),
        HeaderManager=((0, 80, 0), {}),
        DeserializationUnit=((0, 0, 1), {}),
    )
    runs = [run(operation, engine, cycles) for operation in page.OPERATIONS for engine, cycles, _ in ENGINES]
    text = command.report(made, runs, [of] * len(runs), "cereal-128")
    # 80 x 0.25, asleep for half of the time
    assert "| header manager | 0 | 80 | 0 | 0 | 20 | 0 % | 100 % | 5 % | 4 % |" in text
    assert f"| {components.REST} | 100 | 0 | 0 | 20 | 0 |  |  |  |  |" in text
    assert "as it is in 50 % of a call" in text and "as it is in 25 % of a call" in text
