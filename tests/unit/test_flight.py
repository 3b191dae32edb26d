"""Commands that follow each other without a pause: the next one begins while the last one's writes are on their way."""

import itertools
import os
import random

import pytest
from harness import shake, status_of

from tests.common.schemas import random_schema
from tests.common.wire import Writer, damage
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE, SCHEMA_BASE, EngineWriter

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
STEP = 1 << 16
"""Between the memory of one command and that of the next."""
BEYOND = 0x5000_0000
"""Behind the harness's memory: writes there are denied."""


def read_command(bench, dice, number, whole, index):
    """Returns a command that reads a message, and where it writes. Some messages are damaged, some find no room. Memory
    denies the writes of some others: a further fault of these might come first, or not."""
    source, fixed, flexible = (base + number * STEP for base in (INPUT_BASE, FIXED_BASE, FLEXIBLE_BASE))
    room, limits, data = STEP // 2, 0, whole
    if not dice.randrange(8):
        fixed, flexible = BEYOND + 4096 * number, flexible if dice.randrange(2) else BEYOND + (1 << 20) + 4096 * number
    elif dice.randrange(2):
        room, limits = dice.choice([STEP // 2] * 6 + [64]), dice.choice([0, 0, 0, 3, 24 << 16])
        data = dice.choice([whole, damage(whole, dice)])
    bench.unit.load(source, data or b"\0")
    table = SCHEMA_BASE + bench.schema.types[index].table_offset
    arguments = [source, len(data), table, limits, fixed, fixed + room, flexible, flexible + room]
    return ("protobuf_deserialize", arguments), [(fixed, room), (flexible, room)]


def write_command(bench, dice, number, root, index):
    """Returns a command that writes a message, and where. Some find no room, and some memory that denies writes."""
    output, size = 0x4700_0000 + number * STEP, dice.choice([STEP // 2] * 6 + [16])
    if not dice.randrange(8):
        output, size = BEYOND + 4096 * number, STEP // 2
    table = SCHEMA_BASE + bench.schema.types[index].table_offset
    arguments = [root, table, 0, output, output + size, bench.bound, bench.limit]
    return ("protobuf_serialize", arguments), [(output, size)]


def ends(bench, outcome):
    """Returns status and results. Which object or field a denied request belongs to depends on the memory's latency."""
    status = status_of(bench, outcome)
    return (status, outcome.results[:2] if status == "BUS_FAULT" else outcome.results)


@pytest.mark.parametrize("seed", range(400 if FULL else 6))
def test_commands_in_flight(unit, interface, seed):
    """Each command of a random sequence ends as it ends alone, and leaves the same bytes."""
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(unit, interface, schema)
    for _ in range(4):
        name = dice.choice(schema.type_names())
        index = bench.schema.index(name)
        whole = Writer(dice, wild=True).message(schema.descriptor(name), 2)[:4000]
        try:
            root = bench.build(whole, index, arena=STEP)
        except ValueError:
            continue
        # Away from the arenas of the commands.
        commands, areas = [], []
        for number in range(2, 2 + dice.choice([2, 3, 8])):
            if dice.randrange(2):
                command, written = read_command(bench, dice, number, whole, index)
            else:
                command, written = write_command(bench, dice, number, root, index)
            commands.append(command)
            areas.append([area for area in written if area[0] < BEYOND])
        given = [(interface.operations[operation], arguments) for operation, arguments in commands]

        def fresh():
            shake(unit, dice)
            for base, size in itertools.chain(*areas):
                unit.fill(base, size, 0xA5)

        fresh()
        alone = [unit.run(*command) for command in given]
        expected = [[unit.dump(*area) for area in of] for of in areas]
        fresh()
        together, total = unit.flight(given)
        assert [ends(bench, one) for one in together] == [ends(bench, one) for one in alone]
        assert (total.outside, total.strays, total.violations) == (0, 0, 0)
        # After an error the contents are undefined.
        for outcome, of, before in zip(alone, areas, expected):
            assert outcome.status or [unit.dump(*area) for area in of] == before
