"""Named mutants of the hardware: each takes out one condition of SpinalHDL's source, and the tests of a unit or of the
component must notice."""

from tests.mutation.named import Switch

SERIALIZES, DESERIALIZES, ENGINE = "serializationunit-128", "deserializationunit-128", "engine-128"
CLAIMS = "heapwire.cereal.serialize.ClaimTest"
FABRIC = "heapwire.memory.FabricTest -- -z '128 bits'"
EVACUATION = "heapwire.evacuate.EvacuationTest"
TRAP = "heapwire.core.CommandTest -- -z 'a trap between stage and submit'"
LAST = "U(32 bits, default -> true)"

_ROWS = (
    (
        "a denied read of the list of epochs is ignored",
        "cereal/serialize/OpenEpochs.scala",
        "d.denied",
        "False",
        SERIALIZES,
    ),
    (
        "an epoch that is not open counts",
        "cereal/serialize/OpenEpochs.scala",
        "entry(15 downto 0).asUInt === epoch",
        "True",
        SERIALIZES,
    ),
    (
        "a retired owner word counts",
        "cereal/serialize/OpenEpochs.scala",
        "low >= entry(31 downto 16).asUInt",
        "True",
        SERIALIZES,
    ),
    (
        "no owner word is looked up",
        "cereal/serialize/HeaderManager.scala",
        "owner.asUInt >= io.oldest",
        "False",
        SERIALIZES,
    ),
    (
        "another stream's owner word is the own",
        "cereal/serialize/HeaderManager.scala",
        "owner(15 downto 0) === io.mode.stream",
        "True",
        SERIALIZES,
    ),
    (
        "what another unit's claim table holds is free",
        "cereal/serialize/ClaimPort.scala",
        "rest.map(_.held).orR",
        "False",
        CLAIMS,
    ),
    (
        "a word is swapped whatever it is",
        "memory/cache/DataLane.scala",
        "equal.andMask(step === 2)",
        "B(c.lanes bits, default -> (step === 2))",
        FABRIC,
    ),
    (
        "no room is kept for the core",
        "memory/cache/SharedCache.scala",
        "(isPut(port) ? writesPressed | readsPressed)",
        "False",
        FABRIC,
    ),
    ("requests to a set do not wait for each other", "memory/cache/Lookup.scala", "!busy.orR", "True", FABRIC),
    (
        "a fetch does not wait for a write under way",
        "memory/cache/Lookup.scala",
        "c.dram.ofStripe(io.sequences.map(_.isPending(known.sequence)), c.dram.stripe(block, p))",
        "False",
        FABRIC,
    ),
    (
        "a store without a reservation takes effect",
        "memory/cache/Lookup.scala",
        "reservation.valid && reservation.same",
        "True",
        FABRIC,
    ),
    (
        "a unit's write leaves a reservation",
        "memory/cache/Lookup.scala",
        "request.put && !fromCore && reservation.same",
        "False",
        FABRIC,
    ),
    ("submit does not notice a trap", "core/FrontEnd.scala", "io.command.trap", "False", TRAP),
    (
        "hasbits are not written back for another word",
        "protobuf/engine/message/Hasbits.scala",
        "(fetch || io.release)",
        "io.release",
        ENGINE,
    ),
    (
        "the metadata of any object may be written",
        "cereal/road/MemoryAccessInterface.scala",
        "io.bound -> io.limit",
        f"U(0, 32 bits) -> {LAST}",
        SERIALIZES,
    ),
    (
        "waiting objects may be written where sections are",
        "cereal/serialize/SerializationUnit.scala",
        "mode(area, blocks(work.ring))",
        "area",
        SERIALIZES,
    ),
    (
        "sections may be written where waiting objects are",
        "cereal/serialize/SerializationUnit.scala",
        "mode(U(0, 32 bits), blocks(work.ring))",
        'blocks(argument("work_limit"))',
        SERIALIZES,
    ),
    (
        "a stream may be written behind the output",
        "cereal/serialize/SerializationUnit.scala",
        'argument("output") -> argument("output_limit")',
        f"U(0, 32 bits) -> {LAST}",
        SERIALIZES,
    ),
    (
        "an image may be written behind the arena",
        "cereal/deserialize/DeserializationUnit.scala",
        "mode(RegNext(end.resize(32)), limit)",
        LAST,
        DESERIALIZES,
    ),
    (
        "the map of starts may be written behind the work area",
        "cereal/deserialize/DeserializationUnit.scala",
        "blocks(workLimit)",
        LAST,
        DESERIALIZES,
    ),
    (
        "an object that has moved is copied again",
        "evacuate/EvacuationUnit.scala",
        "low(1 downto 0) === ObjectLayout.Mark.Forwarded",
        "False",
        EVACUATION,
    ),
    (
        "an object's references go to a stack that has no room for them",
        "evacuate/EvacuationUnit.scala",
        "facts.bitmap =/= 0 && depth > StackDepth - MostReferences",
        "False",
        EVACUATION,
    ),
    (
        "an array's references go to a stack that has no room for them",
        "evacuate/EvacuationUnit.scala",
        "low(31 downto 8) =/= 0 || (low(7 downto 0).asUInt +^ depth) > StackDepth",
        "False",
        EVACUATION,
    ),
    (
        "copies do not end where their space does",
        "evacuate/EvacuationUnit.scala",
        "promotes ? atYoung | atLimit",
        "False",
        EVACUATION,
    ),
    ("a klass that contradicts itself counts", "evacuate/EvacuationUnit.scala", "table.io.bad", "False", EVACUATION),
    ("klasses may be anywhere", "evacuate/EvacuationUnit.scala", "reads.refused", "False", EVACUATION),
)
SWITCHES = tuple(Switch(*row, number) for number, row in enumerate(_ROWS, 1))
