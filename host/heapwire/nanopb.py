"""nanopb's generator with one more rule: a pattern of an `.options` file that matches nothing is an error.

`python -m heapwire.nanopb [-I DIR]... [-f OPTIONS] [-s SETTING]... -D OUT PROTO...` writes `.pb.c` and `.pb.h`
of each .proto file to OUT. Without -f, the options of x.proto are those of x.options beside it, if that file exists.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from base.errors import HeapwireError

GENERATOR = [sys.executable, "-P", str(Path(__file__).with_name("nanopb_generator.py"))]
"""The generator as a command. -P: modules beside the script are none of its own."""
UNMATCHED = re.compile(r"^Following patterns in .* did not match any fields: (.*)$", re.MULTILINE)


class NanopbError(HeapwireError):
    """nanopb's generator failed, or an option matches nothing."""


def option_folder() -> Path:
    """Returns the folder of nanopb.proto, which a .proto file with nanopb's options imports."""
    import nanopb

    return Path(nanopb.__file__).parent / "generator" / "proto"


def _line_of(options: Path, pattern: str) -> int:
    """Returns the line of the options file that begins with a pattern, or 0 if there is none, as for options that span
    lines."""
    for number, line in enumerate(options.read_text().splitlines(), 1):
        if line.split()[:1] == [pattern]:
            return number
    return 0


def _options_of(proto: Path) -> Path | None:
    beside = proto.with_suffix(".options")
    return beside if beside.is_file() else None


def _find(proto: str, include: list[Path]) -> Path:
    for folder in [Path(), *include]:
        if (folder / proto).is_file():
            return folder / proto
    raise NanopbError(f"{proto}: no such file in {', '.join(map(str, include)) or 'the current folder'}")


def _run(protos: list[str], options: Path | None, include: list[Path], settings: list[str], out: Path) -> set[str]:
    """Generates the code of files. Returns the patterns that matched nothing in any of them."""
    command = [
        *GENERATOR,
        *(f"-I{folder}" for folder in include),
        *(f"-s{setting}" for setting in settings),
        *(["-f", str(options)] if options else []),
        "-D",
        str(out),
        *protos,
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise NanopbError(f"nanopb's generator failed for {', '.join(protos)}:\n{result.stderr[-2000:]}")
    # A line for each file in which some pattern matches nothing.
    unmatched = [set(found.split(", ")) for found in UNMATCHED.findall(result.stderr)]
    return set.intersection(*unmatched) if options and len(unmatched) == len(protos) else set()


def generate(
    protos: list[str],
    out: Path,
    include: list[Path] | None = None,
    options: Path | None = None,
    settings: list[str] | None = None,
) -> None:
    """Writes nanopb's code of .proto files. Does not touch files that would not change.

    Each pattern must match something in at least one of the files to which it applies."""
    include = include or []
    if options and not options.is_file():
        raise NanopbError(f"{options}: no such options file")
    groups: dict[Path | None, list[str]] = {}  # one run of the generator for all files with the same options
    for proto in protos:
        groups.setdefault(options or _options_of(_find(proto, include)), []).append(proto)
    with tempfile.TemporaryDirectory() as folder:
        faults = [
            f"{path}:{_line_of(path, pattern)}: `{pattern}` matches no message, field or enum of {', '.join(group)}"
            for path, group in groups.items()
            for pattern in sorted(_run(group, path, include, settings or [], Path(folder)))
        ]
        if faults:
            raise NanopbError(
                "\n".join(
                    [
                        *faults,
                        "A pattern is a full name, package included, and may "
                        "have wildcards: pkg.Message.field, *.field",
                    ]
                )
            )
        out.mkdir(parents=True, exist_ok=True)
        for made in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            target = out / made.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_file() or target.read_bytes() != made.read_bytes():
                target.write_bytes(made.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="heapwire.nanopb", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-I", dest="include", action="append", default=[], type=Path, metavar="DIR")
    parser.add_argument("-f", dest="options", type=Path, metavar="OPTIONS")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="SETTING")
    parser.add_argument("-D", dest="out", type=Path, required=True, metavar="OUT")
    parser.add_argument("protos", nargs="+", metavar="PROTO")
    arguments = parser.parse_args()
    try:
        generate(arguments.protos, arguments.out, arguments.include, arguments.options, arguments.settings)
    except NanopbError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename or arguments.out}: {error.strerror}")


if __name__ == "__main__":
    main()
