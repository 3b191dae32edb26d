"""A simulated board that is like a real one: it has the board's cluster, clock, and memory with the timing of the
board's PHY.

    python -m sim.like orangecrab-25f      # the arguments with which its cluster is generated

The boot ROM, the UARTs, the debugger's transport and the harness's DMA master stay those of the simulated board, and
DDR3 is not trained.
"""

import copy
import sys
from dataclasses import dataclass

from boards import boards, cluster
from boards.board import Board
from sim.dram import Memory


@dataclass(frozen=True)
class Like:
    """A board of boards/ and one of its parts."""

    board: Board
    device: str

    @staticmethod
    def named(name):
        """Returns the board and part for `ulx3s`, `orangecrab-25f` or `orangecrab-25F`. Without a part it is the
        board's first. Raises ValueError with the valid names."""
        known = boards().values()
        there = {f"{board.name}-{device.lower()}": Like(board, device) for board in known for device in board.variants}
        there |= {board.name: Like(board, board.default) for board in known}
        if name.lower() not in there:
            raise ValueError(f"no board {name!r} to be like; there are: {' '.join(sorted(there))}")
        return there[name.lower()]

    def request(self):
        """Returns the request for the board's cluster, with the simulator's debugger transport."""
        return cluster.wanted(self.board, self.device, self.board.variants[self.device].config, "tap")

    def memory(self):
        """Returns the memory: chip and PHY settings from the board's own functions. The PHY itself is dropped."""
        platform = self.board.platform(self.board.variants[self.device].part, self.board.toolchain)
        phy, module = self.board.memory(platform, self.board.clock_hz)
        settings = copy.copy(phy.settings)
        settings.phytype, settings.read_leveling, settings.bitslips, settings.delays = "SDRAMPHYModel", False, 0, 0
        return Memory(int(self.board.clock_hz), module, settings)


def main():
    try:
        print(*Like.named(" ".join(sys.argv[1:])).request().arguments())
    except (ValueError, RuntimeError) as error:
        sys.exit(f"sim.like: {error}")


if __name__ == "__main__":
    main()
