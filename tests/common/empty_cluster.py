"""An empty cluster: the ports that a SoC connects, and the facts that it needs."""

import json

from heapwire_litex.configurations import base_of

OUTPUTS = {
    "peripheral_CYC": 1,
    "peripheral_STB": 1,
    "peripheral_WE": 1,
    "peripheral_ADR": 30,
    "peripheral_DAT_MOSI": 32,
    "peripheral_SEL": 4,
    "dma_ACK": 1,
    "dma_DAT_MISO": 32,
    "dma_ERR": 1,
}
INPUTS = {
    "externalResetVector": 32,
    "externalInterrupts": 32,
    "peripheral_ACK": 1,
    "peripheral_DAT_MISO": 32,
    "peripheral_ERR": 1,
    "dma_CYC": 1,
    "dma_STB": 1,
    "dma_WE": 1,
    "dma_ADR": 30,
    "dma_DAT_MOSI": 32,
    "dma_SEL": 4,
    "clk": 1,
    "reset": 1,
}
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
    signals = [
        f"{way} [{bits - 1}:0] {name}"
        for way, names in (("input", inputs), ("output", outputs))
        for name, bits in names.items()
    ]
    body = [f"assign {name} = 0;" for name in outputs if name != "peripheral_ADR"] + [
        "assign peripheral_ADR = {29'd0, ^peripheral_DAT_MISO};"
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HeapwireCluster.v").write_text(
        "module HeapwireCluster(\n  " + ",\n  ".join(signals) + ");\n  " + "\n  ".join(body) + "\nendmodule\n"
    )
    (folder / "heapwire.json").write_text(
        json.dumps(
            {
                "cluster": {
                    "config": config,
                    "dataWidth": data_width,
                    "memoryBase": 0x4000_0000,
                    "memoryBytes": memory_mb << 20,
                    "debug": debug,
                    "units": units,
                    "unitClockDivider": divider,
                    "unitClocks": clocks,
                    "addedLatency": 0,
                    "dram": {"readPorts": ports, "writePorts": ports},
                }
            }
        )
    )
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
