"""Relative power: what is read of waves, what the model makes of it, which component an instance belongs to, and the page."""
import pytest
from pylibfst import ffi, lib

from synth import netlist
from synth.area import Area, Module
from synth.power import activity, components, model, page, windows
from synth.power.activity import Switching
from synth.yosys import SynthesisError

CLUSTER = """
module HeapwireCluster (
  input  wire          clk,
  input  wire [1:0]    unit_clk,
  input  wire [7:0]    io_a,
  output wire [7:0]    io_b
);
  wire                _zz_1;
  assign _zz_1 = unit_clk[1];
  Unit unit_1 (
    ._zz_1  (_zz_1        ), //i
    .io_a   (io_a         ), //i
    .io_b   (io_b         )  //o
  );
endmodule

module Unit (
  input  wire          _zz_1,
  input  wire [7:0]    io_a,
  output reg  [7:0]    io_b
);
  always @(posedge _zz_1) begin
    io_b <= io_a;
  end
endmodule
"""
MODULES = netlist.read(CLUSTER)
SLEEPERS = netlist.unit_clocks(CLUSTER, "HeapwireCluster")


class Waves:
    """Writes an FST file: clocks, an input and a register of eight bits in a unit of the cluster."""

    def __init__(self, path, top="HeapwireCluster"):
        self.file = lib.fstWriterCreate(str(path).encode(), 0)
        for scope in ("soc", top):
            self._scope(scope)
        self.clock = self._variable("unit_clk [1:0]", 2, lib.FST_VD_INPUT)
        self.other = self._variable("other", 4, lib.FST_VD_IMPLICIT)
        self._scope("unit_1")
        self.input = self._variable("io_a [7:0]", 8, lib.FST_VD_INPUT)
        self.register = self._variable("io_b [7:0]", 8, lib.FST_VD_OUTPUT)

    def _scope(self, name):
        lib.fstWriterSetScope(self.file, lib.FST_ST_VCD_MODULE, name.encode(), ffi.NULL)

    def _variable(self, name, width, direction):
        return lib.fstWriterCreateVar(self.file, lib.FST_VT_VCD_WIRE, direction, width, name.encode(), 0)

    def cycle(self, number, register, clocked=True):
        lib.fstWriterEmitTimeChange(self.file, number * activity.STEPS)
        self._put(self.clock, 2, 2 * clocked)
        self._put(self.register, 8, register)
        self._put(self.input, 8, 0xff * (number % 2))
        lib.fstWriterEmitTimeChange(self.file, number * activity.STEPS + 5)
        self._put(self.clock, 2, 0)

    def _put(self, variable, width, value):
        lib.fstWriterEmitValueChange(self.file, variable, format(value, f"0{width}b").encode())

    def close(self):
        lib.fstWriterClose(self.file)


def test_an_instance_switches_as_what_it_drives(tmp_path):
    waves = Waves(tmp_path / "a.fst")
    for cycle in range(10, 20):
        waves.cycle(cycle, 3 * (cycle % 2))
    waves.close()
    found, = activity.read(tmp_path / "a.fst", MODULES, "HeapwireCluster", [(10, 19)], SLEEPERS)
    assert SLEEPERS == {"unit_1": 1} and set(found) == {"", "unit_1"}
    # Two bits in nine of ten cycles: the first one's are not counted; nor is the input.
    assert found["unit_1"] == Switching("Unit", 8, pytest.approx(1.8), pytest.approx(1))
    assert found["unit_1"].rate == pytest.approx(1.8 / 8)
    assert (found[""].toggles, found[""].clocked) == (0, 1)


def test_windows_are_apart(tmp_path):
    waves = Waves(tmp_path / "a.fst")
    for cycle in range(4):
        waves.cycle(cycle, 0xff * (cycle % 2))
    for cycle in range(100, 104):
        waves.cycle(cycle, 0x0f, clocked=False)
    waves.close()
    busy, still = activity.read(tmp_path / "a.fst", MODULES, "HeapwireCluster", [(0, 3), (100, 103)], SLEEPERS)
    assert busy["unit_1"].toggles == 6 and busy["unit_1"].clocked == 1
    assert (still["unit_1"].toggles, still["unit_1"].clocked) == (0, 0)


def test_what_are_no_waves_of_the_cluster_is_said(tmp_path):
    (tmp_path / "none.fst").write_bytes(b"nothing")
    with pytest.raises(SynthesisError, match="no FST file"):
        activity.read(tmp_path / "none.fst", MODULES, "HeapwireCluster", [(0, 1)])
    waves = Waves(tmp_path / "a.fst", top="Other")
    waves.cycle(0, 1)
    waves.close()
    with pytest.raises(SynthesisError, match="no HeapwireCluster"):
        activity.read(tmp_path / "a.fst", MODULES, "HeapwireCluster", [(0, 1)])


def area(**modules):
    return Area("HeapwireCluster", {name: Module(name, {f"ecp5.{what}": value for what, value in zip(("LUT", "FF", "BRAM"), own)}, children)
                                    for name, (own, children) in modules.items()})


AREA = area(HeapwireCluster=((10, 0, 0), {"Unit": 2, "Ram": 1}), Unit=((100, 40, 1), {}), Ram=((0, 0, 2), {}))


def test_activity_times_capacitance():
    asleep, awake = Switching("Unit", 10, 0, 0), Switching("Unit", 10, 1, 1)
    found = model.powers(AREA, {"": Switching("HeapwireCluster", 4, 2, 1), "a": asleep, "b": awake, "gone": Switching("Gone", 8, 8, 1)})
    # What the waves do not tell apart, the memory, is counted with what it is in; what synthesis has removed is not.
    assert found == {"": pytest.approx(10 * 0.5 + 2 * model.BLOCK_RAM), "a": 0, "b": pytest.approx(140 * 0.1 + 40 * model.CLOCK + model.BLOCK_RAM)}


def test_components_have_what_is_in_them():
    of = {"s": Switching("SerializationUnit", 1, 0, 1), "s.pipeline_manager": Switching("HeaderManager", 1, 0, 1),
          "s.pipeline_manager.fifo": Switching("StreamFifo", 1, 0, 1), "s.objects": Switching("SpanReader_1", 1, 0, 1),
          "s.headers": Switching("SpanReader", 1, 0, 1), "s.pipeline_section": Switching("PackedSection_1", 1, 0, 1), "t": Switching("Other", 1, 0, 1)}
    found = components.shares({path: 1 << i for i, path in enumerate(of)}, of, "s", components.SERIALIZER)
    assert found["header manager"] == 2 + 4 + 16 and found["object handler"] == 8 and found["reference array writer"] == 32
    assert found[components.REST] == 1 and sum(found.values()) == 63


def test_every_component_is_in_the_sources():
    sources = components.__file__.rsplit("/synth/", 1)[0] + "/accel/src/heapwire/cereal"
    import pathlib
    text = "\n".join(path.read_text() for path in pathlib.Path(sources).rglob("*.scala"))
    for component in components.SERIALIZER + components.DESERIALIZER:
        for name in component.names:
            assert f"class {name}(" in text or f"val {name} = " in text, name


@pytest.mark.parametrize("began, cycles, expected", [(100, 50, (100, 149)), (100, windows.LONGEST + 100, (150, 149 + windows.LONGEST))])
def test_a_window_is_the_middle_of_its_run(began, cycles, expected):
    assert windows.window(began, cycles) == expected


def test_the_page_compares_energies():
    def energy(operation, engine, cycles, power):
        return page.Energy(windows.Run("tree", operation, engine, cycles, (0, 1)), {"Core": power - 4, "Fabric": 4})

    energies = [energy(operation, engine, cycles, power) for operation in ("serialize", "deserialize")
                for engine, cycles, power in (("java", 1000, 10), ("kryo-generic", 500, 10), ("hw", 100, 20))]
    text = page.figure(energies)
    assert "| tree, serialize | 1.00 (1,000) | 2.00 (500) | 5.00 (100) |" in text and "313.6" in text
    text = page.breakdown(energies)
    assert "| Core | 6 | 6 | 16 | 6 | 6 | 16 |" in text and "| **all** | **10** | **10** | **20** |" in text


def test_parts_of_the_cluster_have_what_is_in_them():
    of = {"": Switching("HeapwireCluster", 1, 0, 1), "core": Switching("CoreComplex", 1, 0, 1), "core.cpu": Switching("Cpu", 1, 0, 1)}
    assert model.by_part({"": 1, "core": 2, "core.cpu": 4}, of) == {"HeapwireCluster": 1, "CoreComplex": 6}


def test_the_page_has_shares_of_a_unit_and_the_papers():
    text = page.table("Serializer", [page.Part(components.Component("a", (), 1.0, 3.0), 300, 5), page.Part(components.Component("b", ()), 100, 15)])
    assert "| a | 300 | 75 % | 25 % | 100 % | 100 % |" in text and "| b | 100 | 25 % | 75 % |  |  |" in text
