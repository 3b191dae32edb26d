"""Named mutants of the hardware: each takes out one condition of SpinalHDL's source, and the tests of a unit or of the
component must notice. All are compiled at once; which one is in the Verilog is said when it is generated."""

from tests.mutation.named import Switch

EPOCHS = "tests/unit/test_cereal_write.py::test_epochs"
STREAMS = "tests/unit/test_skyway_write.py::test_other_streams"
WRITES = "tests/unit/test_bounds.py::test_serialization_astray"
READS = "tests/unit/test_bounds.py::test_deserialization_astray"
HASBITS = "tests/unit/test_deserializer.py -k 128"
CLAIMS = "heapwire.cereal.serialize.ClaimTest"
FABRIC = "heapwire.memory.FabricTest"
TRAP = "heapwire.core.CommandTest -- -z 'a trap between stage and submit'"
LAST = "U(32 bits, default -> true)"

PATCHES = (
    Switch(
        "a denied read of the list of epochs is ignored",
        "cereal/serialize/OpenEpochs.scala",
        "d.denied",
        "False",
        EPOCHS,
    ),
    Switch(
        "an epoch that is not open counts",
        "cereal/serialize/OpenEpochs.scala",
        "entry(15 downto 0).asUInt === epoch",
        "True",
        EPOCHS,
    ),
    Switch(
        "a retired owner word counts",
        "cereal/serialize/OpenEpochs.scala",
        "low >= entry(31 downto 16).asUInt",
        "True",
        STREAMS,
    ),
    Switch(
        "no owner word is looked up",
        "cereal/serialize/HeaderManager.scala",
        "owner.asUInt >= io.oldest",
        "False",
        EPOCHS,
    ),
    Switch(
        "another stream's owner word is the own",
        "cereal/serialize/HeaderManager.scala",
        "owner(15 downto 0) === io.mode.stream",
        "True",
        STREAMS,
    ),
    Switch(
        "what another unit's claim table holds is free",
        "cereal/serialize/ClaimPort.scala",
        "rest.map(_.held).orR",
        "False",
        CLAIMS,
    ),
    Switch(
        "a word is swapped whatever it is",
        "memory/cache/DataLane.scala",
        "equal.andMask(step === 2)",
        "B(c.lanes bits, default -> (step === 2))",
        FABRIC,
    ),
    Switch(
        "no room is kept for the core",
        "memory/cache/SharedCache.scala",
        "(isPut(port) ? writesPressed | readsPressed)",
        "False",
        FABRIC,
    ),
    Switch("requests to a set do not wait for each other", "memory/cache/Lookup.scala", "!busy.orR", "True", FABRIC),
    Switch(
        "a fetch does not wait for a write under way",
        "memory/cache/Lookup.scala",
        "c.dram.ofStripe(io.sequences.map(_.isPending(known.sequence)), c.dram.stripe(block, p))",
        "False",
        FABRIC,
    ),
    Switch(
        "a store without a reservation takes effect",
        "memory/cache/Lookup.scala",
        "reservation.valid && reservation.same",
        "True",
        FABRIC,
    ),
    Switch(
        "a unit's write leaves a reservation",
        "memory/cache/Lookup.scala",
        "request.put && !fromCore && reservation.same",
        "False",
        FABRIC,
    ),
    Switch("submit does not notice a trap", "core/FrontEnd.scala", "io.command.trap", "False", TRAP),
    Switch(
        "hasbits are not written back for another word",
        "protobuf/engine/EngineHasbits.scala",
        "(fetch || io.release)",
        "io.release",
        HASBITS,
    ),
    Switch(
        "the metadata of any object may be written",
        "cereal/road/MemoryAccessInterface.scala",
        "io.bound -> io.limit",
        f"U(0, 32 bits) -> {LAST}",
        WRITES,
    ),
    Switch(
        "waiting objects may be written where sections are",
        "cereal/serialize/SerializationUnit.scala",
        "mode(area, blocks(work.ring)) ->",
        "area ->",
        WRITES,
    ),
    Switch(
        "sections may be written where waiting objects are",
        "cereal/serialize/SerializationUnit.scala",
        "mode(U(0, 32 bits), blocks(work.ring))",
        'blocks(argument("work_limit"))',
        WRITES,
    ),
    Switch(
        "a stream may be written behind the output",
        "cereal/serialize/SerializationUnit.scala",
        'argument("output") -> argument("output_limit")',
        f"U(0, 32 bits) -> {LAST}",
        WRITES,
    ),
    Switch(
        "an image may be written behind the arena",
        "cereal/deserialize/DeserializationUnit.scala",
        "mode(RegNext(end.resize(32)), limit)",
        LAST,
        READS,
    ),
    Switch(
        "the map of starts may be written behind the work area",
        "cereal/deserialize/DeserializationUnit.scala",
        "blocks(workLimit)",
        LAST,
        READS,
    ),
)
