"""The tool against the JVM that it runs on: serialVersionUIDs and field offsets, of the JDK's classes and of random
ones."""

import re

import pytest

PACKAGES = "lang util io math net text time time.chrono util.concurrent nio.charset"
SERIALIZABLE = [f"java.{package}.*" for package in PACKAGES.split()]
# java.lang is missing, because HotSpot adds fields of its own to many of its classes.
LAID_OUT = [*SERIALIZABLE[1:], "java.util.stream.*", "java.util.concurrent.locks.*"]
# HotSpot's object header size -> the options that select it.
HEADERS = {12: [], 16: ["-XX:-UseCompressedClassPointers"]}


def agreed(output: str) -> int:
    """Checks that nothing differed. Returns the number of comparisons."""
    match = re.search(r"compared (\d+) different 0$", output.strip())
    assert match, output
    return int(match[1])


def test_uids_of_the_jdk(java):
    assert agreed(java.real("uid", str(java.shipped), *SERIALIZABLE)) > 800


def test_uids_of_random_classes(java):
    names = [f"random.{path.stem}" for path in java.random.rglob("*.class")]
    assert agreed(java.real("uid", str(java.random), *names)) == 400


@pytest.mark.parametrize("header", HEADERS)
def test_layout_of_the_jdk(java, header):
    assert agreed(java.real("layout", str(header), str(java.shipped), *LAID_OUT, options=HEADERS[header])) > 2000


@pytest.mark.parametrize("header", HEADERS)
def test_layout_of_random_and_tricky_classes(java, header):
    """A header of 16 bytes is that of our objects with metadata. The offsets have to agree to the byte."""
    path = f"{java.shipped}:{java.tricky}:{java.random}"
    names = [path.stem for path in java.random.rglob("*.class")]
    tricky = [
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for folder in (java.tricky, java.shipped)
        for path in folder.rglob("*.class")
    ]
    output = java.real(
        "layout", str(header), path, *(f"random.{name}" for name in names), *tricky, options=HEADERS[header]
    )
    assert agreed(output) > 900
