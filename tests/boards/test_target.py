"""The boards' LiteX target scripts: flags and the resulting SoC, with an empty cluster."""

import importlib
import inspect
import json
import re
import sys
from types import SimpleNamespace

import pytest

from base.repository import ROOT
from boards import boards, firmware, target
from boards import cluster as clusters
from heapwire_litex.configurations import base_of
from soc.soc import ETHERNET_SLOTS
from synth.target import FLOW, NARROW, PLACER
from tests.common.fixtures import refused
from tests.common.run import python

ELABORATE = "--build --no-compile"
ULX3S, ORANGECRAB = boards()["ulx3s"], boards()["orangecrab"]


@pytest.fixture
def run(monkeypatch, tmp_path, said, cluster):
    """Returns a function that runs a board's target script with flags, and with an empty cluster that fits but for some
    changes. It returns the output folder."""

    def call(board, flags="", **changes):
        words = ["--output-dir", str(tmp_path / "out"), "--cluster", str(cluster(board, **changes)), *flags.split()]
        monkeypatch.setattr(sys, "argv", ["board", *words])
        target.run(board, said)
        return tmp_path / "out"

    return call


def verilog_of(board, out):
    return (out / "gateware" / f"{board.name}.v").read_text()


def facts_of(out):
    return json.loads((out / "soc.json").read_text())


@pytest.fixture
def jobs(monkeypatch):
    """Returns what the flow is asked for. It is not done."""
    asked = []
    monkeypatch.setattr(target.flow, "build", lambda job, script, say: asked.append(job) or "built")
    return asked


def test_the_clock_is_no_slower_than_litex_has_it(board):
    """Otherwise docs/howto/boards.md must say why."""
    target_of_litex = importlib.import_module(f"litex_boards.targets.{board.litex_target}")
    usual = inspect.signature(target_of_litex.BaseSoC).parameters["sys_clk_freq"].default
    text = (ROOT / "docs" / "howto" / "boards.md").read_text()
    assert (board.clock_hz < usual) == (f"**Why {board.clock_hz / 1e6:g} MHz on {board.title}.**" in text)


def test_the_soc_is_generated(board, cluster, run, tmp_path):
    out = run(board, f"{ELABORATE} --soc-json {tmp_path / 'map.json'}")
    verilog = verilog_of(board, out)
    assert re.search(r"^HeapwireCluster HeapwireCluster\s*\(", verilog, re.M)
    assert bool(re.search(r"^JTAGG ", verilog, re.M)) == (board.variants[board.default].config != "tiny")
    facts = facts_of(out)
    assert facts["dataWidth"] == board.port_bits and facts["clockHz"] == board.clock_hz
    assert facts["regions"]["main_ram"] == {"base": 0x4000_0000, "bytes": board.memory_mb << 20}
    trained = board.name in ("ecpix5", "orangecrab")
    assert facts["regions"]["rom"]["bytes"] == (8192 if trained else 4096), "DDR3 is trained by the ROM"
    assert json.loads((tmp_path / "map.json").read_text())["memories"]["main_ram"]["size"] == board.memory_mb << 20
    assert (out / "include" / "generated" / "csr.h").is_file() and (out / "csr.csv").is_file()


def test_cereals_units_have_half_of_the_clock(board, cluster, run):
    out = run(board, ELABORATE, config="cereal")
    gateware, verilog = out / "gateware", verilog_of(board, out)
    clock = re.search(r"\.unit_clk\s*\(\{2\{(\w*unit_clk)\}\}\)", verilog)[1]
    megahertz = board.clock_hz / 2e6
    if board.toolchain == "trellis":
        assert f"{clock} <= (~{clock});" in verilog
        assert f'FREQUENCY NET "{clock}" {megahertz:g} MHz;' in (gateware / f"{board.name}.lpf").read_text()
    else:
        assert re.search(r"\.DYN_SDIV_SEL\s*\(2'd2\)", verilog) and re.search(r"\.CLKOUTD\s*\(", verilog)
        assert f"-period {1e3 / megahertz:.3f} [get_nets {clock}]" in (gateware / f"{board.name}.sdc").read_text()


def test_the_clocks_that_are_in_phase_are_known(board, cluster, run, jobs):
    """The flow needs them to check paths between them against their period."""
    run(board, "--build --no-compile-software", config="cereal")
    [job] = jobs
    assert job.unit_hz == board.clock_hz / 2 and job.cluster == cluster(board, config="cereal")
    assert job.in_phase == ((2 * board.clock_hz,) if board.name in ("ulx3s", "ecpix5", "orangecrab") else ()), (
        "memory at 1:2"
    )


def test_a_clock_of_no_whole_hertz_has_its_double_in_phase(run, jobs):
    run(ULX3S, "--build --no-compile-software --sys-clk-freq 33333333.4")
    assert jobs[0].in_phase == pytest.approx((2 * 33333333.4,))


def test_boards_are_mapped_as_make_area_maps(board, cluster, run):
    script = (run(board, ELABORATE) / "gateware" / f"{board.name}.ys").read_text()
    assert re.search(rf"^{FLOW}$\n^synth_(ecp5|gowin) .*{NARROW}\b", script, re.MULTILINE)


def test_nextpnr_is_told_the_placer_of_the_part(board, run, jobs):
    for name, variant in board.variants.items():
        run(board, f"--build --no-compile-software --device {name}", variant=name, config=variant.config)
    assert [job.nextpnr_options[:2] for job in jobs] == [
        ("--placer", variant.placer) for variant in board.variants.values()
    ]
    others = {name for name, variant in board.variants.items() if variant.placer != PLACER}
    assert others == {"orangecrab": {"25F"}, "tang_nano_20k": {"GW2AR-18"}}.get(board.name, set()), (
        "docs/howto/boards.md says why"
    )


@pytest.mark.parametrize("config", ["messages", "bare"])
def test_what_keeps_up_has_the_clock_of_the_system(board, config, cluster, run):
    assert re.search(r"\.unit_clk\s*\(\{2\{sys_clk\}\}\)", verilog_of(board, run(board, ELABORATE, config=config)))


def test_a_part_is_what_its_name_says(board):
    for name, variant in board.variants.items():
        device = board.platform(variant.part, board.toolchain).device
        assert {"i5": "25F", "i9": "45F", "GW2AR-18": "GW2AR-LV18"}.get(name, name) in device
        assert base_of(variant.config).name == variant.config


def test_the_boot_rom_is_in_the_soc(cluster, run):
    out = run(ULX3S, "--build --no-compile-gateware")
    image = (out / "boot" / "boot.bin").read_bytes()
    words = (out / "gateware" / "ulx3s_rom.init").read_text().split()
    assert [int(word, 16) for word in words[:8]] == [
        int.from_bytes(image[at : at + 4], "little") for at in range(0, 32, 4)
    ]


def test_flags_that_say_what_is_so_are_taken(cluster, run):
    run(ULX3S, "--cpu-type heapwire --build-backend litex --with-watchdog --watchdog-width 16")


def test_flags_change_the_soc(cluster, run):
    fifo = "--uart-fifo-depth 64"
    sizes = "--integrated-rom-size 0x4000 --integrated-sram-size 0x2000"
    here = cluster(ULX3S) / "here"
    out = run(ULX3S, f"{ELABORATE} --sys-clk-freq 55e6 {sizes} {fifo} --gateware-dir {here}")
    facts = facts_of(out)
    assert facts["clockHz"] == 55_000_000 and facts["regions"]["rom"]["bytes"] == 0x4000
    assert facts["regions"]["sram"]["bytes"] == 0x2000
    assert (here / "ulx3s.lpf").is_file()


def test_a_second_uart_is_there_when_it_is_asked_for(board, cluster, run, capsys):
    assert not [name for name in facts_of(run(board, ELABORATE))["csr"] if name.startswith("link")]
    if not board.link:
        with pytest.raises(SystemExit):
            run(board, f"{ELABORATE} --with-link")
        assert "--with-link: " in capsys.readouterr().err
        return
    out = run(board, f"{ELABORATE} --with-link")
    assert {"link_rxtx", "link_phy_tuning_word"} <= set(facts_of(out)["csr"])
    pins = re.findall(r'LOCATE COMP "link_(tx|rx)" SITE', (out / "gateware" / f"{board.name}.lpf").read_text())
    assert pins == ["tx", "rx"]


def test_a_mac_is_there_when_it_is_asked_for(board, run, capsys):
    """With its clocks in nextpnr's constraints, and with the slots in the headers of programs."""
    assert "ethmac" not in facts_of(run(board, ELABORATE))["regions"]
    if not board.ethernet:
        with pytest.raises(SystemExit):
            run(board, f"{ELABORATE} --with-ethernet")
        assert "--with-ethernet: " in capsys.readouterr().err
        return
    out = run(board, f"{ELABORATE} --with-ethernet")
    assert facts_of(out)["regions"]["ethmac"]["bytes"] == (ETHERNET_SLOTS + 2) * 2048
    assert f"#define ETHMAC_RX_SLOTS {ETHERNET_SLOTS}" in (out / "include" / "generated" / "soc.h").read_text()
    constraints = (out / "gateware" / f"{board.name}.lpf").read_text()
    pins = set(
        re.findall(r'LOCATE COMP "(eth\S+)" SITE', constraints.replace("clocks0", "clocks").replace("eth0", "eth"))
    )
    assert {"eth_clocks_rx", "eth_clocks_tx", "eth_rx_ctl", "eth_rx_data[3]", "eth_tx_ctl"} <= pins
    assert re.search(r'FREQUENCY PORT "eth_clocks0?_rx" 125', constraints)


@pytest.mark.parametrize(
    "flags, problem",
    [
        ("--toolchain diamond", "invalid choice: 'diamond'"),
        ("--device 12F", "invalid choice: '12F'"),
        (
            "--cpu-variant large",
            "--cpu-variant: no configuration 'large'; there are tiny, default, full, single, messages, bare",
        ),
        ("--cpu-type picorv32", "--cpu-type: Heapwire's SoC decides about this"),
        ("--bus-standard axi", "--bus-standard: Heapwire's SoC decides about this"),
        ("--no-uart", "--no-uart: Heapwire's SoC needs it"),
        ("--l2-size 4096", "--l2-size: Heapwire's SoC decides about this"),
        # LiteX's default, which does not hold here
        ("--l2-size 8192", "--l2-size: Heapwire's SoC decides about this"),
        ("--bus-time=1e6", "--bus-timeout: Heapwire's SoC decides about this"),
        ("--no-ident-version", "--no-ident-version: Heapwire's SoC decides about this"),
        ("--bios-lto", "--bios-lto: would have no effect: in the place of LiteX's BIOS is Heapwire's boot ROM"),
        ("--bios-format float", "--bios-format: would have no effect"),
        ("--bios-console full", "--bios-console: would have no effect"),
        ("--software-dir x", "--software-dir: would have no effect"),
        ("--generated-dir x", "--generated-dir: would have no effect"),
        ("--memory-x x", "--memory-x: would have no effect"),
        ("--build-backend edalize", "--build-backend: the steps are those of boards/flow.py"),
        ("--jtagbone-chain 1", "--jtagbone-chain: would have no effect without --with-jtagbone"),
        ("--watchdog-width 16", "--watchdog-width: would have no effect without --with-watchdog"),
        ("--sys-clk-freq 50", "give the frequency in Hz, e.g. 50e6"),
        ("--seeds 0", "--seeds: at least 1"),
    ],
)
def test_flags_that_make_no_sense(flags, problem, run, capsys):
    with pytest.raises(SystemExit) as ended:
        run(ULX3S, flags)
    assert ended.value.code == 2 and problem in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes, problem, option",
    [
        ({"data_width": 64}, "is made for a memory port of 64 bits, this board has 32", "--data-width 32"),
        ({"memory_mb": 256}, "is made for a memory of 256 MB, this board has 32", "--memory-mb 32"),
        ({"divider": 2}, "divides the units' clock by 2, this board by 1", "--unit-clock-divider 1"),
        ({"debug": "tap"}, "the cluster's debugger is made for 'tap', this board has 'ecp5'", None),
    ],
)
def test_a_cluster_of_another_board(changes, problem, option, run):
    told = f"{problem}. What to do: generate it with {option}" if option else problem
    with refused(re.escape(told)):
        run(ULX3S, **changes)


def test_a_port_that_is_not_what_the_board_file_says(cluster, run, monkeypatch):
    monkeypatch.setattr(clusters, "describe", lambda board, variant, folder: clusters.ClusterDescription(folder))
    told = "memory port is 32 bits wide and the cluster was generated for 64: generate it with --data-width 32, or "
    with refused(f"{told}for a part of that"):
        run(ULX3S, data_width=64)


def test_no_cluster(run, tmp_path):
    with refused("no cluster in .*leave out --cluster"):
        run(ULX3S, f"--cluster {tmp_path}")


def test_the_generator_is_called_for_the_board(board):
    name = board.variants[board.default].config
    words = clusters.step(board, board.default, name, clusters.folder(board, board.default, name)).command
    options = dict(zip(words[2::2], words[3::2]))
    assert options == {
        "--config": name,
        "--data-width": str(board.port_bits),
        "--memory-mb": str(board.memory_mb),
        "--unit-clock-divider": "1",
        "--dram-ports": "1",
        "--debug": "none" if name == "tiny" else "ecp5",
        "--output": str(ROOT / "build" / "gen" / board.name),
    }


def test_builds_that_differ_have_folders_that_differ():
    assert clusters.name(ULX3S, "85F", "messages") == "ulx3s"
    assert clusters.name(ULX3S, "25F", "tiny") == "ulx3s-25f"
    assert clusters.name(ULX3S, "85F", "tiny") == "ulx3s-tiny"
    assert [clusters.folder(ULX3S, "85F", config).name for config in ("messages", "tiny")] == ["ulx3s", "ulx3s-tiny"]
    assert [clusters.folder(ORANGECRAB, part, "tiny").name for part in ("85F", "25F")] == [
        "orangecrab-tiny",
        "orangecrab-tiny-32",
    ]


def test_a_part_may_have_narrower_words_than_its_memory(cluster, run):
    """The cluster is connected through adapters, one for each port (heapwire_litex/memory_ports.py)."""
    out = run(ORANGECRAB, f"{ELABORATE} --device 25F", variant="25F", config="tiny")
    verilog = (out / "gateware" / "orangecrab.v").read_text()
    assert re.search(r"wire +\[31:0\] +\w*dram_write_0_wdata_data|\.dram_write_0_wdata_data +\(\w+\)", verilog)
    facts = facts_of(out)
    assert facts["dataWidth"] == 32 and ORANGECRAB.port_bits == 128
    with refused("made for a memory port of 128 bits, this board has 32"):
        run(ORANGECRAB, "--device 25F", config="tiny")


def test_programs_are_compiled_for_the_boards_soc(cluster, run, monkeypatch, said):
    made, code = [], 0
    pretend = SimpleNamespace(
        run=lambda command, **_: made.append(command) or SimpleNamespace(returncode=code), DEVNULL=None
    )
    monkeypatch.setattr(firmware, "subprocess", pretend)
    out = run(ULX3S, "--firmware --no-compile-software")
    java, programs = (
        {key: value for key, _, value in (word.partition("=") for word in command[4:])} for command in made
    )
    assert [command[3] for command in made] == [str(ROOT / "host" / "java"), str(ROOT / "firmware")]
    assert java["GEN"] == programs["GEN"] == str(cluster(ULX3S)) and java["OUT"] == programs["CLASSES"]
    assert programs["SOC"] == str(out) and programs["OUT"] == str(ROOT / "build" / "firmware" / "ulx3s")
    assert (out / "include" / "generated" / "csr.h").is_file()
    assert said[-1] == "programs for serial boot: build/firmware/ulx3s/*.bin"
    code = 2
    with refused("host/java does not build; the first error above says why. What to do: where it is a tool"):
        firmware.build(cluster(ULX3S), out, "ulx3s", said)


def test_a_board_is_a_target_script():
    done = python("boards", "ulx3s", "--help")
    assert done.returncode == 0
    flags = "build load flash toolchain sys-clk-freq cpu-variant output-dir soc-json csr-json".split()
    assert not [flag for flag in flags if f"--{flag}" not in done.stdout]
