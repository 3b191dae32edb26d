"""Makes the report: `python -m study.report` (study/docs/report.md)."""

import csv
import io
import json
import os
from pathlib import Path

import click

from base.errors import HeapwireError
from base.repository import ROOT
from study.report import headlines as kept
from study.report import html, markdown, page, store

BUILD = ROOT / "build"
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)


def write(path: Path, text: str, quiet: bool = False) -> None:
    """Writes a file of results, and says so."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename or path}: {error.strerror}") from error
    if not quiet:
        click.echo(f"written: {path}")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--bench", type=FOLDER, default=BUILD / "bench", help="Folder of the rows.")
@click.option("--area", type=FOLDER, default=BUILD / "area", help="Folder of the areas.")
@click.option("--output", type=FILE, default=BUILD / "report" / "index.html", help="The page.")
@click.option("--markdown", "text", type=FILE, help="The same as Markdown.")
@click.option("--cuts", type=FILE, help="What a quick report left out, by suite (JSON).")
@click.option(
    "--headlines", is_flag=True, help="Take the headlines from these rows, and write README's table and the summary."
)
@click.option("--of", "names", help="... only these headlines, with commas between their names.")
@click.option("--parse-only", is_flag=True, help="Only look at these arguments.")
def main(
    bench: Path,
    area: Path,
    output: Path,
    text: Path | None,
    cuts: Path | None,
    headlines: bool,
    names: str | None,
    parse_only: bool,
) -> None:
    """Make one page from all existing rows. The page names missing rows. Fails if a figure of a paper lacks
    rows although its suite was measured."""
    if parse_only:
        return
    try:
        quick = json.loads(cuts.read_text()) if cuts else None
        found = store.load(bench, area, quick)
        written = kept.refreshed(found, names.split(",") if names else ()) if headlines else {}
        content = page.build(found)
    except HeapwireError as error:
        raise click.ClickException(str(error)) from error
    write(output, html.page(content, os.path.relpath(ROOT, output.parent) + "/"))
    if text:
        write(text, markdown.page(content, os.path.relpath(ROOT, text.parent) + "/"))
    for name, table in html.data_of(content).items():
        text_of = io.StringIO()
        csv.writer(text_of, lineterminator="\n").writerows([table.head, *table.lines])
        write(output.parent / "data" / name, text_of.getvalue(), quiet=True)
    for path, made in written.items():
        write(path, made)
    if wrong := page.errors(content):
        raise click.ClickException(
            "figures of the papers lack rows of measured suites (what to do: measure the whole suite):\n  "
            + "\n  ".join(wrong)
        )


if __name__ == "__main__":
    main()
