"""`python -m boards BOARD [flag of the board's LiteX target script]...`: the command behind `make bitstream`, `load`
and `flash`."""

import sys

from boards import boards


def named(name):
    """Returns the board of that name. Exits with the list of boards if there is none."""
    if name not in boards():
        what = f"no board {name!r}." if name else "which board?"
        sys.exit(f"board: {what} What to do: BOARD=, one of {', '.join(boards())}")
    return boards()[name]


def main():
    """Runs the target script of the board that is named. The flags alone are shown without one: they are those of the
    first board, and of the others but for the parts."""
    name, flags = (sys.argv[1:] or [""])[0], sys.argv[2:]
    board = named(next(iter(boards())) if not name and {"-h", "--help"} & set(flags) else name)
    del sys.argv[1]  # LiteX's parser reads the remaining arguments from sys.argv
    from boards import target

    target.main(board)


if __name__ == "__main__":
    main()
