"""What stays in git of the results: the lines of the report's tables that the README and the summary show
(study/docs/headlines.json), and the summary around them (docs/results.md)."""

from typing import Callable, Mapping

from study.figures.opening import PROTOACC, opening
from study.report.content import Table
from study.report.excerpt import Excerpt

MEANS = "message; operation; over the best software; best software; over nanopb; over table; over upb; over upb-alias"
SETS = "**jsbs**; **fleetbench**; **hyperprotobench**; **demo**"
OVER = ("over the best software", "over nanopb", "over upb-alias")
USUAL = {"machine": "default-128"}
MESSAGES = Excerpt("messages", "ours / Protobuf by message, default-128 / Cycles", "protobuf", SETS, MEANS)
DEMO = Excerpt(
    "demo",
    "ours / What `make demo` prints / Cycles",
    "demo",
    columns="message; wire bytes; nanopb, read; codec, read; engine, read; over codec, read; "
    "nanopb, written; codec, written; engine, written; over codec, written",
    command="make demo",
)
"""The README's table."""
CALLS = Excerpt("rpc", "ours / Remote calls over Ethernet / Cycles", "rpc")
"""The table of docs/howto/rpc.md."""
PACKING = Excerpt("packing", "cereal / Figure 16 / Bytes", "graphs", "mean of; the paper", "graph; saved by packing")
"""Only the opening quotes it."""
MEMORY = Excerpt(
    "memory",
    "ours / Memory: / Cycles",
    "memory",
    "copy_64K_bank_offset_4; gather_1024_in_flight_1; gather_1024_in_flight_8; chase_1024",
    "case; engine; cycles",
    where=USUAL,
)
CORE = Excerpt("core", "ours / The core alone / Cycles", "core", "read_; write_", "case; engine; cycles", where=USUAL)
OVERALL = "engine; overall; serialize; deserialize; size"
WITHOUT_GENERIC = "kryo-manual; hw; skyway; the paper"
GRAPHS = Excerpt("graphs", "cereal / Figure 10 / Times Java", "cereal", "geometric mean; the paper")
SECTIONS: list[str | Excerpt | Callable[[Mapping[str, Mapping]], Table]] = [
    """# Results in ten minutes

    Heapwire reproduces the systems of five papers on one small machine: a core, units that read and write objects, and
    one DRAM channel, all simulated cycle by cycle with LiteDRAM's real controller. This page has the headlines. `make
    report` makes the page of every figure and table (`build/report/index.html`);
    [report.md](../study/docs/report.md) says how. The papers' headlines beside ours:""",
    opening,
    """![How many times as fast as software](results.svg)

    ## How it was measured

    A figure is cycles of the simulated SoC at a memory port of 128 bits, from the call of the public API to a usable
    result: driver, command, wait, scope and handle are in it. Simulated cycles repeat exactly. Software runs on the
    same core with the same caches and memory, compiled with `-O2`; where the code lies in memory decides much, so a
    figure of software is the fewest cycles of up to five link layouts. With `-O3`, measured once in one layout at
    dc2ed09c, each message at the better of the two, the engine's means over the best software fall by 1 (jsbs), 13
    (fleetbench) and 3 % (demo) to read, and by 0 to 3 % to write. Every result was compared, field by field, with
    an independent implementation. `table` is our own codec in C, which builds the same objects as the engine; `upb`
    is Google's C implementation; `nanopb` is what firmware uses today. `upb-alias` leaves strings in the input,
    which must stay, so its result is less usable. Java and Kryo are compiled C here
    ([peers.md](../study/docs/peers.md)).""",
    """## Protobuf

    How many times as fast the engine is, as geometric means over the messages of each set ({of}): over the best
    software with the same usable result, message by message, and over each. `jsbs`, `fleetbench` and `hyperprotobench`
    are real messages, `demo` is ours. Cycles: README (demo), [rpc.md](howto/rpc.md) (remote calls).""",
    MESSAGES,
    """The best public hardware is protoacc (MICRO 2021): its RTL, unmodified, without a core, a driver or caches, and
    one port of 16 bytes that answers after 8 or 25 cycles. These cycles were *measured once*, at 78247be1. protoacc
    reads and writes with 72,541 LUT where the engine has 9,869; it checks neither bounds nor UTF-8 and has no status.
    The engine's cycles contain its driver, some 80.""",
    lambda _: PROTOACC,
    """The engine and its core take 3.1 times the LUTs of the core with its caches. For its area, the machine with the
    engine handles 2.1 to 2.8 times as many messages of `jsbs` and `fleetbench` as the core with `table` does, at
    one clock. On ULX3S, ECPIX-5 and i5 the engine costs 5 to 16 % of the clock
    ([boards.md](howto/boards.md#what-fits)). With caches of 32 KB each, not 8 and 4 (*measured once*, one layout,
    dc2ed09c), software gains: the means fall from 9.3, 8.3 and 14.3 to 8.3, 6.0 and 12.0 to read, from 8.3, 6.9 and
    9.4 to 7.7, 5.6 and 8.4 to write (jsbs, fleetbench, demo).

    Cold, the means over the best software are alike: 9.1, 9.3 and 13.1 to read, 8.0, 8.6 and 9.2 to write, for
    hyperprotobench 10.6 and 10.2. `table` takes over 5 % more cycles than the best in seven of 88 rows: M6, M11 and
    M43 of bench4 read (1.06, 1.12, 1.08), M11 written (1.13), M48 of bench0 and M13 of bench1 written (1.50, 1.29,
    nanopb), string-heavy written (1.06: `upb` checks no UTF-8 there; without it `table` takes 0.73 of its cycles).
    Strings of bench0 and bench4 (one layout) are large: `upb-alias` reads bench0 1.8 times as fast as the engine,
    bench4 as fast. With strings in place the engine (`hw-view`, *measured once*) reads bench1 14.4, bench4 13.9
    times as fast as `upb-alias`.""",
    """## Wu & Schmulbach, and UCB/EECS-2023-268

    The papers read protobuf into a Java heap: 80 % of the messages 4 to 33 times as fast as Java (fuller report, whose
    abstract has 1.5 to 30 times, 10.9 as a geometric mean), 20 to 35 times (earlier report). Here, on HyperProtoBench:
    means of bytes a cycle, and how many times as fast the engine is ({of}). The rows are of one link layout, or of
    five.""",
    Excerpt("benches", "earlier / Figure 5 / Geometric means of bytes a cycle", "protobuf"),
    """Clearing of new objects is what the papers name as the cost of a managed heap: 6 % for one of their messages, 50
    % for another, M1 and M25 of bench0. Here, to clear everything in the place of only what must be clear ({of}).""",
    Excerpt("clearing", "wu / Figure 14 / Cycles to read", "protobuf", "bench0"),
    """A collection waits for commands in flight, and its pause grows with what lives ({of}). The paper's pauses are of
    about 10 ms, with a heap of 512 MB. [What it costs](reference/runtime.md#what-it-costs) has the pauses, and messages
    end to end with collections.""",
    """The engine's area, as Yosys maps it for ECP5. The paper: 0.191 mm², 226,000 cells, 1.72 GHz in 22 nm; that cannot
    be compared.""",
    Excerpt("engine", "wu / Area of the deserializer / The engine", "", command="make area"),
    """## Datacenter Tax Cuts

    The paper measures Google's C++ library on repeated fields: integers take 4 to 6 times as long as floating point of
    the same size, strings 10 to 16 times. Here, cycles an element to write and to read a field of 1,000 elements,
    fitted ({of}). Code made of a schema with the paper's four instructions is 1.4 to 5.5 times as fast as the best
    software to read and 2.0 to 7.0 to write, by set; the engine is 2.0 to 5.5 and 1.4 to 3.3 times as fast as that
    ([protobuf_fields.md](reference/units/protobuf_fields.md)).""",
    *(
        Excerpt(
            op,
            f"tax / {number} / Cycles by the number of elements",
            "protobuf",
            "uint32, packed; double, packed; string",
            columns="type; engine; 1,000; an element",
        )
        for number, op in (("Figure 1", "serialize"), ("Figure 4", "deserialize"))
    ),
    """## Cereal

    Graphs of objects: how many times as fast as Java serialization, means over the small and medium graphs (figure 10);
    the paper has eight units of each kind on four channels, `hw` is one of each on one channel ({of}).""",
    GRAPHS,
    """MediaContent of jvm-serializers, 35 objects (figure 12), over Kryo by hand; the other serializers are in
    Skyway's table.""",
    Excerpt(
        "cereal-jsbs",
        "cereal / Figure 12 / Cycles",
        "cereal",
        "hw; kryo-manual; the paper",
        "engine; serialize; deserialize; both ways; times kryo-manual; bytes",
    ),
    """Records of Spark's programs, both ways, times Java (figure 13): `captured-` by Spark, `spark-` generated.""",
    Excerpt("records", "cereal / Figure 13 / Times Java", "cereal", "geometric mean; the paper"),
    """The area of the units (table V; the paper's are square millimetres of 40 nm).""",
    Excerpt("units", "cereal / Table V / Ours", "", "**", command="make area CONFIG=cereal"),
    """## Skyway

    MediaContent again (figure 7), without a network: cycles over those of Skyway in software ({of}). The paper's Skyway
    is 2.2 times as fast as Kryo by hand and more than 67 times as fast as Java.""",
    Excerpt(
        "skyway-jsbs",
        "skyway / Figure 7 / Cycles",
        "skyway",
        columns="engine; serialize; deserialize; both ways; over skyway-sw; bytes",
    ),
    """The same between five machines, each of which sends to all others: cycles of an object. The core carries each
    byte through a UART, so bytes decide.""",
    Excerpt("broadcast", "skyway / Figure 7 / Cycles of an object in the broadcast", "broadcast"),
    """Programs that shuffle, over Java serialization (table 2: range and geometric mean).""",
    Excerpt("programs", "skyway / Table 2 / Over Java serialization", "skyway", WITHOUT_GENERIC, OVERALL),
    """Queries, over Kryo by hand, which stands for Flink's own serializers (table 4).""",
    Excerpt("queries", "skyway / Table 4 / Over kryo-manual", "skyway", "java; hw; skyway; the paper", OVERALL),
    """## Memory and the core

    Copies of 64 KB by the unit, at one of eight offsets between the banks of source and target, and by `memcpy`; 1,024
    random reads of 16 bytes with 1 and 8 in flight; 1,024 loads of the core, each of which waits for the one before
    ({of}). Then streams of the core, of 1 KB and of 64 KB.""",
    MEMORY,
    CORE,
    """## What was not reached

    The missed bars of the suites `cereal` and `skyway` ({of}). Their pages say why:
    [bench_cereal.md](../study/docs/bench_cereal.md#measured),
    [bench_skyway.md](../study/docs/bench_skyway.md#measured). A command in flight may hold up a collection for longer
    than its bar, too ([runtime.md](reference/runtime.md#what-it-costs)).""",
    *(
        Excerpt(f"bars-{suite}", f"suites / The suite {suite}: bars / Bars", suite, shown="**missed**")
        for suite in ("cereal", "skyway")
    ),
    """What could not be reproduced of the papers:

    - Nothing ran on a chip or a board. Areas are LUTs and gates, not square millimetres; energy is estimated from
      switching in the simulation ([power.md](../study/docs/power.md)). - HotSpot. Our Java
      and Kryo have tables made beforehand, so what Kryo saves on a JVM (reflection) is not there: with generic
      serializers it takes about as long as Java. So ratios to software differ from the papers'. - Size. The papers'
      graphs have up to 1.2 GB, their programs up to 3 GB, their queries 100 GB; the machine has 256 MB. - Channels.
      Several units share one channel, which one unit nearly fills: two, four and eight units bring little. - Streams
      smaller than Java's. Ours of trees and lists are larger, because a node and its array each send a mark and a class
      id. - Spark and Flink with the units. No program of Spark ran with them; figures 14 and 8(a) are computed, and say
      so. - Profiles of functions and of x86 instructions (*Datacenter Tax Cuts*, figures 2, 5, 9, 10): no suite samples
      instructions.

    The chapters' *Not here* in the full page name every other figure that is not shown, with the reason.""",
]
"""Texts, and the excerpts below them. {of} in a text names the revision of the next excerpt's rows."""
CHART = (
    ("protobuf, to read: the engine over", MESSAGES, "deserialize", OVER),
    ("protobuf, to write: the engine over", MESSAGES, "serialize", OVER),
    ("object graphs, to write: times Java serialization", GRAPHS, "serialize", ("kryo-manual", "cereal-sw", "hw")),
    ("object graphs, to read: times Java serialization", GRAPHS, "deserialize", ("kryo-manual", "cereal-sw", "hw")),
)
"""Panels of the chart: title, excerpt, operation, columns."""
EXCERPTS = [DEMO, CALLS, PACKING, *(section for section in SECTIONS if isinstance(section, Excerpt))]
