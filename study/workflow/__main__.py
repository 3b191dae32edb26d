"""`make report`: runs the workflow of workflow/Snakefile by Snakemake (study/docs/report.md)."""

import os
import re
import sys
from pathlib import Path

import click

from boards import boards as boards_there
from study.bench.run import SUITES

BOARDS = tuple(boards_there())
SNAKEFILE = Path(__file__).with_name("Snakefile")
WIDTHS, CLOCKS = ("32", "64", "128"), ("1", "2")


def words(text: str) -> list[str]:
    """Returns the words of a list, with commas or blanks between them."""
    return re.findall(r"[^ ,]+", text)


def board_of(word: str) -> str:
    """Returns the board of ulx3s, ulx3s-25f or ulx3s+stock. Of any other word, returns the word."""
    found = re.fullmatch(r"(\w+)(-\w+)?(\+stock)?", word)
    return found[1] if found else word


def count(context: click.Context, option: click.Parameter, text: str) -> str:
    """Returns the text of a number of cores, or `all`."""
    if text != "all" and not re.fullmatch("[1-9][0-9]*", text):
        raise click.BadParameter("a number, or all")
    return text


def command(configuration: dict[str, str], cores: str, more: tuple[str, ...]) -> list[str]:
    """Returns Snakemake's command line."""
    # The default scheduler calls a solver for each choice, and where the solver fails it says so every time. For each
    # job that has begun or ended, Snakemake selects jobs again after every time span, to the end. With its own span of
    # a second, that took a third of a core after an hour.
    usual = "--nolock --keep-going --rerun-incomplete --scheduler greedy --max-jobs-per-timespan 1000/10s --quiet rules"
    given = [f"{name}={value}" for name, value in configuration.items() if value]
    program = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), "--cores", cores]
    return [*program, *usual.split(), *more, "--config", *given]


def some(option: str, metavar: str, help: str, known: tuple[str, ...], usual: str = "", name=lambda word: word):
    """Returns an option whose value is a list of known words. name: the part of a word that must be known."""

    def parsed(context: click.Context, option: click.Parameter, text: str) -> list[str]:
        unknown = [word for word in words(text) if name(word) not in known]
        if unknown:
            raise click.BadParameter(f"no {', '.join(unknown)}; there are {', '.join(known)}")
        return words(text)

    return click.option(option, default=usual, show_default=bool(usual), callback=parsed, metavar=metavar, help=help)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="A part, in twenty minutes, into build/report/quick.")
@some("--suites", "SUITE,...", f"These suites alone, of {', '.join(SUITES)}.", SUITES)
@some("--widths", "BITS,...", "Each suite at each of these widths of the memory port ...", WIDTHS, "128")
@some("--clocks", "DIVIDER,...", "... and each of these dividers of the units' clock.", CLOCKS, "1")
@some(
    "--boards",
    "BOARD,...",
    f"Also simulated boards with their own memories and configurations, of {', '.join(BOARDS)}; ulx3s+stock: with "
    "LiteX's own CPU.",
    BOARDS,
    name=board_of,
)
@click.option("--spark", is_flag=True, help="Spark's programs in a part of a report, too. A whole report has them.")
@click.option(
    "--cores", default="all", show_default=True, callback=count, metavar="COUNT", help="Cores of this machine to use."
)
@click.option("--parse-only", is_flag=True, help="Only look at these arguments.")
@click.argument("snakemake", nargs=-1, metavar="[-- FLAG OF SNAKEMAKE...]")
def main(cores: str, parse_only: bool, snakemake: tuple[str, ...], **chosen: bool | list[str]) -> None:
    """Measure what a report lacks, then make it."""
    if parse_only:
        return
    given = {name: "1" * it if isinstance(it, bool) else " ".join(it) for name, it in sorted(chosen.items())}
    line = command(given, cores, snakemake)
    os.execv(line[0], line)


if __name__ == "__main__":
    try:
        main(standalone_mode=False)
    except click.ClickException as wrong:
        print(f"report: {wrong.format_message()}", file=sys.stderr)
        sys.exit(wrong.exit_code)
