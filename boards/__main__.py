"""`python -m boards BOARD [flag of the board's LiteX target script]...`: the command behind `make bitstream`, `load`
and `flash`."""
import sys

from boards import NAMES, board_named
from boards.target import main


def named(name):
    """Returns the board of that name. Exits with the list of boards if there is none."""
    if name not in NAMES:
        what = f"no board {name!r}." if name else "which board?"
        sys.exit(f"board: {what} What to do: BOARD=, one of {', '.join(NAMES)}")
    return board_named(name)


if __name__ == "__main__":
    board = named(sys.argv[1] if len(sys.argv) > 1 else "")
    del sys.argv[1]  # LiteX's parser reads the remaining arguments from sys.argv
    main(board)
