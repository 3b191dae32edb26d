"""Single cases over the classes of the generated tables (host/cases.c)."""

import subprocess

import pytest

CASES = [
    "hash_map",
    "updates",
    "freeing",
    "cards",
    "handles_run_out",
    "versions",
    "sharing_epochs",
    "last_epoch",
    "work_areas",
    "beyond_the_queue",
    "bad_objects",
    "files",
    "first_object",
    "errors_stay",
    "switching",
    "assisted_sending",
    "assisted_receiving",
    "assisted_segments",
    "unit_after_the_copy",
    "continuing",
    "continuing_by_short_queues",
    "machine_faults",
    "new_heap",
    "phase_meanwhile",
    "phase_before_claims",
    "phase_between_clones",
    "registry_between_objects",
    "without_roots",
    "one_buffer",
    "end_without_begin",
    "bad_classes",
    "other_registry",
    "classes_meanwhile",
    "claims",
    "two_lookups",
    "named_heaps",
    "too_large_there",
    "formats_by_tables",
    "formats_by_object_streams",
]


@pytest.mark.parametrize("case", CASES)
def test_case(programs, case):
    result = subprocess.run([programs / "cases", case], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
