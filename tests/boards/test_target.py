"""The boards' LiteX target scripts: flags and the resulting SoC, with an empty cluster."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from base.errors import HeapwireError
from base.repository import ROOT
from boards import boards, firmware, target
from boards import cluster as clusters
from heapwire_litex.configurations import base_of
from synth.target import FLOW, NARROW, PLACER

ULX3S, ORANGECRAB = boards()["ulx3s"], boards()["orangecrab"]


@pytest.fixture
def run(monkeypatch, tmp_path, said):
    """Returns a function that runs a board's target script with flags and returns its output folder."""

    def call(board, *flags):
        monkeypatch.setattr(sys, "argv", ["board", "--output-dir", str(tmp_path / "out"), *map(str, flags)])
        target.run(board, said)
        return tmp_path / "out"

    return call


def test_the_clock_is_no_slower_than_litex_has_it(board):
    """Otherwise docs/howto/boards.md must say why."""
    target_of_litex = importlib.import_module(f"litex_boards.targets.{board.litex_target}")
    usual = inspect.signature(target_of_litex.BaseSoC).parameters["sys_clk_freq"].default
    text = (ROOT / "docs" / "howto" / "boards.md").read_text()
    assert (board.clock_hz < usual) == (f"**Why {board.clock_hz / 1e6:g} MHz on {board.title}.**" in text)


def test_the_soc_is_generated(board, cluster, run, tmp_path):
    out = run(board, "--build", "--no-compile", "--cluster", cluster(board), "--soc-json", tmp_path / "map.json")
    verilog = (out / "gateware" / f"{board.name}.v").read_text()
    assert re.search(r"^HeapwireCluster HeapwireCluster\s*\(", verilog, re.M)
    assert bool(re.search(r"^JTAGG ", verilog, re.M)) == (board.variants[board.default].config != "tiny")
    facts = json.loads((out / "soc.json").read_text())
    assert facts["dataWidth"] == board.port_bits and facts["clockHz"] == board.clock_hz
    assert facts["regions"]["main_ram"] == {"base": 0x4000_0000, "bytes": board.memory_mb << 20}
    assert facts["regions"]["rom"]["bytes"] == (8192 if board.name in ("ecpix5", "orangecrab") else 4096), (
        "DDR3 is trained by the ROM"
    )
    assert json.loads((tmp_path / "map.json").read_text())["memories"]["main_ram"]["size"] == board.memory_mb << 20
    assert (out / "include" / "generated" / "csr.h").is_file() and (out / "csr.csv").is_file()


def test_cereals_units_have_half_of_the_clock(board, cluster, run):
    gateware = run(board, "--build", "--no-compile", "--cluster", cluster(board, config="cereal")) / "gateware"
    verilog = (gateware / f"{board.name}.v").read_text()
    clock = re.search(r"\.unit_clk\s*\(\{2\{(\w*unit_clk)\}\}\)", verilog)[1]
    megahertz = board.clock_hz / 2e6
    if board.toolchain == "trellis":
        assert f"{clock} <= (~{clock});" in verilog
        assert f'FREQUENCY NET "{clock}" {megahertz:g} MHz;' in (gateware / f"{board.name}.lpf").read_text()
    else:
        assert re.search(r"\.DYN_SDIV_SEL\s*\(2'd2\)", verilog) and re.search(r"\.CLKOUTD\s*\(", verilog)
        assert f"-period {1e3 / megahertz:.3f} [get_nets {clock}]" in (gateware / f"{board.name}.sdc").read_text()


def test_the_clocks_that_are_in_phase_are_known(board, cluster, run, monkeypatch):
    """The flow needs them to check paths between them against their period."""
    jobs = []
    monkeypatch.setattr(target.flow, "build", lambda job, script, say: jobs.append(job) or "built")
    run(board, "--build", "--no-compile-software", "--cluster", cluster(board, config="cereal"))
    [job] = jobs
    assert job.unit_hz == board.clock_hz / 2 and job.cluster == cluster(board, config="cereal")
    assert job.in_phase == ((2 * board.clock_hz,) if board.name in ("ulx3s", "ecpix5", "orangecrab") else ()), (
        "memory at 1:2"
    )


def test_a_clock_of_no_whole_hertz_has_its_double_in_phase(cluster, run, monkeypatch):
    jobs = []
    monkeypatch.setattr(target.flow, "build", lambda job, script, say: jobs.append(job) or "built")
    run(ULX3S, "--build", "--no-compile-software", "--cluster", cluster(ULX3S), "--sys-clk-freq", "33333333.4")
    assert jobs[0].in_phase == pytest.approx((2 * 33333333.4,))


def test_boards_are_mapped_as_make_area_maps(board, cluster, run):
    script = (
        run(board, "--build", "--no-compile", "--cluster", cluster(board)) / "gateware" / f"{board.name}.ys"
    ).read_text()
    assert re.search(rf"^{FLOW}$\n^synth_(ecp5|gowin) .*{NARROW}\b", script, re.MULTILINE)


def test_nextpnr_is_told_the_placer_of_the_part(board, cluster, run, monkeypatch):
    jobs = []
    monkeypatch.setattr(target.flow, "build", lambda job, script, say: jobs.append(job) or "built")
    for name, variant in board.variants.items():
        run(
            board,
            "--build",
            "--no-compile-software",
            "--device",
            name,
            "--cluster",
            cluster(board, variant=name, config=variant.config),
        )
    assert [job.nextpnr_options[:2] for job in jobs] == [
        ("--placer", variant.placer) for variant in board.variants.values()
    ]
    others = {name for name, variant in board.variants.items() if variant.placer != PLACER}
    assert others == {"orangecrab": {"25F"}, "tang_nano_20k": {"GW2AR-18"}}.get(board.name, set()), (
        "docs/howto/boards.md says why"
    )


@pytest.mark.parametrize("config", ["messages", "bare"])
def test_what_keeps_up_has_the_clock_of_the_system(board, config, cluster, run):
    verilog = (
        run(board, "--build", "--no-compile", "--cluster", cluster(board, config=config))
        / "gateware"
        / f"{board.name}.v"
    ).read_text()
    assert re.search(r"\.unit_clk\s*\(\{2\{sys_clk\}\}\)", verilog)


def test_a_part_is_what_its_name_says(board):
    for name, variant in board.variants.items():
        device = board.platform(variant.part, board.toolchain).device
        assert {"i5": "25F", "i9": "45F", "GW2AR-18": "GW2AR-LV18"}.get(name, name) in device
        assert base_of(variant.config).name == variant.config


def test_the_boot_rom_is_in_the_soc(cluster, run):
    out = run(ULX3S, "--build", "--no-compile-gateware", "--cluster", cluster(ULX3S))
    image = (out / "boot" / "boot.bin").read_bytes()
    words = (out / "gateware" / "ulx3s_rom.init").read_text().split()
    assert [int(word, 16) for word in words[:8]] == [
        int.from_bytes(image[at : at + 4], "little") for at in range(0, 32, 4)
    ]


def test_flags_that_say_what_is_so_are_taken(cluster, run):
    run(
        ULX3S,
        "--cluster",
        cluster(ULX3S),
        "--cpu-type",
        "heapwire",
        "--build-backend",
        "litex",
        "--with-watchdog",
        "--watchdog-width",
        "16",
    )


def test_flags_change_the_soc(cluster, run):
    out = run(
        ULX3S,
        "--build",
        "--no-compile",
        "--cluster",
        cluster(ULX3S),
        "--sys-clk-freq",
        "55e6",
        "--integrated-rom-size",
        "0x4000",
        "--integrated-sram-size",
        "0x2000",
        "--uart-fifo-depth",
        "64",
        "--gateware-dir",
        cluster(ULX3S) / "here",
    )
    facts = json.loads((out / "soc.json").read_text())
    assert facts["clockHz"] == 55_000_000 and facts["regions"]["rom"]["bytes"] == 0x4000
    assert facts["regions"]["sram"]["bytes"] == 0x2000
    assert (cluster(ULX3S) / "here" / "ulx3s.lpf").is_file()


def test_a_second_uart_is_there_when_it_is_asked_for(board, cluster, run, capsys):
    flags = "--build", "--no-compile", "--cluster", cluster(board)
    assert not [
        name for name in json.loads((run(board, *flags) / "soc.json").read_text())["csr"] if name.startswith("link")
    ]
    if not board.link:
        with pytest.raises(SystemExit):
            run(board, *flags, "--with-link")
        assert "--with-link: " in capsys.readouterr().err
        return
    out = run(board, *flags, "--with-link")
    assert {"link_rxtx", "link_phy_tuning_word"} <= set(json.loads((out / "soc.json").read_text())["csr"])
    assert re.findall(r'LOCATE COMP "link_(tx|rx)" SITE', (out / "gateware" / f"{board.name}.lpf").read_text()) == [
        "tx",
        "rx",
    ]


@pytest.mark.parametrize(
    "flags, problem",
    [
        (["--toolchain", "diamond"], "invalid choice: 'diamond'"),
        (["--device", "12F"], "invalid choice: '12F'"),
        (
            ["--cpu-variant", "large"],
            "--cpu-variant: no configuration 'large'; there are tiny, default, full, single, messages, bare",
        ),
        (["--cpu-type", "picorv32"], "--cpu-type: Heapwire's SoC decides about this"),
        (["--bus-standard", "axi"], "--bus-standard: Heapwire's SoC decides about this"),
        (["--no-uart"], "--no-uart: Heapwire's SoC needs it"),
        (["--l2-size", "4096"], "--l2-size: Heapwire's SoC decides about this"),
        # LiteX's default, which does not hold here
        (["--l2-size", "8192"], "--l2-size: Heapwire's SoC decides about this"),
        (["--bus-time=1e6"], "--bus-timeout: Heapwire's SoC decides about this"),
        (["--no-ident-version"], "--no-ident-version: Heapwire's SoC decides about this"),
        (["--bios-lto"], "--bios-lto: would have no effect: in the place of LiteX's BIOS is Heapwire's boot ROM"),
        (["--bios-format", "float"], "--bios-format: would have no effect"),
        (["--bios-console", "full"], "--bios-console: would have no effect"),
        (["--software-dir", "x"], "--software-dir: would have no effect"),
        (["--generated-dir", "x"], "--generated-dir: would have no effect"),
        (["--memory-x", "x"], "--memory-x: would have no effect"),
        (["--build-backend", "edalize"], "--build-backend: the steps are those of boards/flow.py"),
        (["--jtagbone-chain", "1"], "--jtagbone-chain: would have no effect without --with-jtagbone"),
        (["--watchdog-width", "16"], "--watchdog-width: would have no effect without --with-watchdog"),
        (["--sys-clk-freq", "50"], "give the frequency in Hz, e.g. 50e6"),
        (["--seeds", "0"], "--seeds: at least 1"),
    ],
)
def test_flags_that_make_no_sense(flags, problem, cluster, run, capsys):
    with pytest.raises(SystemExit) as ended:
        run(ULX3S, "--cluster", cluster(ULX3S), *flags)
    assert ended.value.code == 2 and problem in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes, problem",
    [
        (
            {"data_width": 64},
            "is made for a memory port of 64 bits, this board has 32. What to do: generate it with --data-width 32",
        ),
        (
            {"memory_mb": 256},
            "is made for a memory of 256 MB, this board has 32. What to do: generate it with --memory-mb 32",
        ),
        (
            {"divider": 2},
            "divides the units' clock by 2, this board by 1. What to do: generate it with --unit-clock-divider 1",
        ),
        ({"debug": "tap"}, "the cluster's debugger is made for 'tap', this board has 'ecp5'"),
    ],
)
def test_a_cluster_of_another_board(changes, problem, cluster, run):
    with pytest.raises(HeapwireError, match=re.escape(problem)):
        run(ULX3S, "--cluster", cluster(ULX3S, **changes))


def test_a_port_that_is_not_what_the_board_file_says(cluster, run, monkeypatch):
    monkeypatch.setattr(clusters, "describe", lambda board, variant, folder: clusters.ClusterDescription(folder))
    with pytest.raises(
        HeapwireError,
        match="memory port is 32 bits wide and the cluster was generated for 64: generate it with --data-width 32, or "
        "for a part of that",
    ):
        run(ULX3S, "--cluster", cluster(ULX3S, data_width=64))


def test_no_cluster(run, tmp_path):
    with pytest.raises(HeapwireError, match="no cluster in .*leave out --cluster"):
        run(ULX3S, "--cluster", tmp_path)


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
    """The cluster is connected through adapters, one for each port (heapwire_litex/narrow_ports.py)."""
    out = run(
        ORANGECRAB,
        "--device",
        "25F",
        "--build",
        "--no-compile",
        "--cluster",
        cluster(ORANGECRAB, variant="25F", config="tiny"),
    )
    verilog = (out / "gateware" / "orangecrab.v").read_text()
    assert re.search(r"wire +\[31:0\] +\w*dram_write_0_wdata_data|\.dram_write_0_wdata_data +\(\w+\)", verilog)
    facts = json.loads((out / "soc.json").read_text())
    assert facts["dataWidth"] == 32 and ORANGECRAB.port_bits == 128
    with pytest.raises(HeapwireError, match="made for a memory port of 128 bits, this board has 32"):
        run(ORANGECRAB, "--device", "25F", "--cluster", cluster(ORANGECRAB, config="tiny"))


def test_programs_are_compiled_for_the_boards_soc(cluster, run, monkeypatch, said):
    made, code = [], 0
    pretend = SimpleNamespace(
        run=lambda command, **_: made.append(command) or SimpleNamespace(returncode=code), DEVNULL=None
    )
    monkeypatch.setattr(firmware, "subprocess", pretend)
    out = run(ULX3S, "--firmware", "--no-compile-software", "--cluster", cluster(ULX3S))
    java, programs = (
        {key: value for key, _, value in (word.partition("=") for word in command[4:])} for command in made
    )
    assert [command[3] for command in made] == [str(ROOT / "host" / "java"), str(ROOT / "firmware")]
    assert java["GEN"] == programs["GEN"] == str(cluster(ULX3S)) and java["OUT"] == programs["CLASSES"]
    assert programs["SOC"] == str(out) and programs["OUT"] == str(ROOT / "build" / "firmware" / "ulx3s")
    assert (out / "include" / "generated" / "csr.h").is_file() and said[
        -1
    ] == "programs for serial boot: build/firmware/ulx3s/*.bin"
    code = 2
    with pytest.raises(
        HeapwireError, match="host/java does not build; the first error above says why. What to do: where it is a tool"
    ):
        firmware.build(cluster(ULX3S), out, "ulx3s", said)


def test_a_board_is_a_target_script():
    done = subprocess.run([sys.executable, "-m", "boards", "ulx3s", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    for flag in (
        "--build",
        "--load",
        "--flash",
        "--toolchain",
        "--sys-clk-freq",
        "--cpu-variant",
        "--output-dir",
        "--soc-json",
        "--csr-json",
    ):
        assert flag in done.stdout
