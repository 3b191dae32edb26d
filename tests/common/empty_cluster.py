"""An empty cluster: the ports that a SoC connects, and the facts that it needs."""

import json

from heapwire_litex.configurations import base_of

BUS = {"CYC": 1, "STB": 1, "WE": 1, "ADR": 30, "DAT_MOSI": 32, "SEL": 4}
"""The lines of a Wishbone bus from its master, and from its slave."""
ANSWER = {"ACK": 1, "DAT_MISO": 32, "ERR": 1}
OUTPUTS = {f"peripheral_{name}": bits for name, bits in BUS.items()} | {
    f"dma_{name}": bits for name, bits in ANSWER.items()
}
INPUTS = {f"peripheral_{name}": bits for name, bits in ANSWER.items()} | {
    f"dma_{name}": bits for name, bits in BUS.items()
}
INPUTS |= {"externalResetVector": 32, "externalInterrupts": 32, "clk": 1, "reset": 1}
JTAGG_IN = ("jtck", "jtdi", "jshift", "jupdate", "jrstn", "jce1", "jce2")
UNITS = {"copy": 1, "protobuf_engine": 1}
"""Units of all configurations but `tiny`, which has no copy unit."""


def write(folder, data_width, memory_mb, debug="none", config="tiny", divider=1, ports=2):
    """Writes HeapwireCluster.v and heapwire.json into `folder`. Returns that folder."""
    outputs, inputs, units = dict(OUTPUTS), dict(INPUTS), UNITS | ({"copy": 0} if config == "tiny" else {})
    clocks = sum(units.values())
    inputs["unit_clk"] = outputs["unit_awake"] = clocks
    if debug == "ecp5":
        inputs |= {f"jtagg_{name}": 1 for name in JTAGG_IN}
        outputs |= {"jtagg_jtdo1": 1, "jtagg_jtdo2": 1}
    for index in range(ports):
        for mode in ("read", "write"):
            prefix = f"dram_{mode}_{index}_"
            outputs |= {prefix + "cmd_valid": 1, prefix + "cmd_addr": 28}
            inputs[prefix + "cmd_ready"] = 1
        outputs |= {
            f"dram_read_{index}_rdata_ready": 1,
            f"dram_write_{index}_wdata_valid": 1,
            f"dram_write_{index}_wdata_data": data_width,
            f"dram_write_{index}_wdata_we": data_width // 8,
        }
        inputs |= {
            f"dram_read_{index}_rdata_valid": 1,
            f"dram_read_{index}_rdata_data": data_width,
            f"dram_write_{index}_wdata_ready": 1,
        }
    signals = [f"input [{bits - 1}:0] {name}" for name, bits in inputs.items()]
    signals += [f"output [{bits - 1}:0] {name}" for name, bits in outputs.items()]
    body = [f"assign {name} = 0;" for name in outputs if name != "peripheral_ADR"] + [
        "assign peripheral_ADR = {29'd0, ^peripheral_DAT_MISO};"
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HeapwireCluster.v").write_text(
        "module HeapwireCluster(\n  " + ",\n  ".join(signals) + ");\n  " + "\n  ".join(body) + "\nendmodule\n"
    )
    memory = {"memoryBase": 0x4000_0000, "memoryBytes": memory_mb << 20, "dataWidth": data_width, "addedLatency": 0}
    clock = {"unitClockDivider": divider, "unitClocks": clocks}
    ports = {"readPorts": ports, "writePorts": ports}
    facts = {"config": config, "debug": debug, "units": units, "dram": ports, **memory, **clock}
    (folder / "heapwire.json").write_text(json.dumps({"cluster": facts}))
    return folder


def of_board(board, folder, **changes):
    """Writes the cluster for a board with its first part, or the part named `variant`, with `changes`."""
    config = changes.get("config", board.variants[board.default].config)
    facts = {
        "data_width": board.data_bits(changes.pop("variant", board.default)),
        "memory_mb": board.memory_mb,
        "config": config,
        "debug": board.debug if base_of(config).debugger else "none",
        "divider": base_of(config).board_clock_divider,
    }
    return write(folder, **{**facts, **changes})
