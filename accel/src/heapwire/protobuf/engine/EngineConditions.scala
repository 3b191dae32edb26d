package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** The conditions on which the program branches. */
class EngineConditions(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.words.outcome
  import engine.quick.{own, presenceDue, stopped}
  /** A write is between its source and the write buffer. */
  val onTheWay = Bool()
  /** A part of the written message is not yet on its way to the write buffer. */
  val unfinished = Bool()
  private val copies = copier.io.busy || copier.io.start.valid
  private val writing = !writes.io.idle || own.valid || onTheWay || unfinished || copies
  private val streams = !stream.io.idle || does(Act.startStream)
  val idles = new Area {
    val copier = RegNext(!copies) init False
    val written = RegNext(!writing) init False
    val stream = RegNext(!streams) init False
    val all = RegNext(!writing && !streams && cache.io.idle && !cache.io.request.valid && !ask.pending) init False
  }
  private def ofStep(condition: Bool): Bool = RegNext(condition)
  private val depthFull = depth >= command.depthLimit
  private val seen = RegNext(hasbits.io.word(target.bit(4 downto 0)))
  private val missing = RegNext((context.requiredMask & ~hasbits.io.word).orR)
  private val plainRest = RegNext(!is(Flag.unknownValid) && !is(Flag.group) && !skipping)
  val conditions: Map[Cond, Bool] = Map(
    Cond.never -> False, Cond.always -> True, Cond.carry -> outcome.carry, Cond.equal -> outcome.equal,
    Cond.matches -> outcome.matches,
    Cond.repeated -> ofStep(entry.repeated), Cond.inOneof -> ofStep(entry.inOneof),
    Cond.enumAtHand -> ofStep(!entry.inOneof && entry.caseOffset =/= 0),
    Cond.isGroup -> ofStep(facts.isGroup),
    Cond.checkEnum -> ofStep(step.checkEnum), Cond.isElement -> ofStep(step.element),
    Cond.isScalar -> ofStep((step.action === Action.Scalar || step.action === Action.Ignore) && !(fielded(_.open,
      False) && !at.stepValid)),
    Cond.noLength -> ofStep(step.noLength), Cond.longLength -> ofStep(step.value(31 downto 16).orR),
    Cond.fixedRun -> ofStep(facts.packable && facts.wireType(0) && !step.noLength && !native &&
      step.value(1 downto 0) === 0 && !(facts.log2Size.lsb && step.value(2)) && !fielded(_.open, False)),
    Cond.isSkip -> ofStep(step.action === Action.SkipBytes),
    Cond.isGroupStart -> ofStep(step.action === Action.GroupStart),
    Cond.isGroupEnd -> ofStep(step.action === Action.GroupEnd), Cond.pointer -> ofStep(entry.pointer),
    Cond.fixedCount -> ofStep(entry.fixedCount), Cond.fixedLength -> ofStep(entry.fixedLength),
    Cond.isText -> ofStep(facts.isText),
    Cond.isString -> ofStep(facts.isString), Cond.isMessage -> ofStep(facts.isMessage),
    Cond.presenceDue -> ofStep(presenceDue),
    Cond.referred -> ofStep(entry.pointer && (!entry.repeated || facts.isString && !entry.fixedLength)),
    Cond.sameList -> list.same,
    Cond.sameShape -> ofStep(shape.kind === target.kind && shape.log2Size === target.log2Size),
    Cond.listFull -> list.full, Cond.listReady -> (list.same && !list.full),
    Cond.noHasbits -> RegNext(hasbits.io.words === 0),
    Cond.oneHasbitsWord -> RegNext(hasbits.io.words === 1), Cond.manyHasbits -> RegNext(hasbits.io.words > 1),
    Cond.plainMessage -> RegNext(!facts.isGroup && !presenceDue && !is(Flag.listOpen)),
    Cond.plainElement -> (list.same && !list.full && RegNext(!facts.isGroup && !depthFull && is(Flag.onTop))),
    Cond.tooMany -> ofStep(count(15 downto 0).andR && (!context.wide || count(31 downto 16).andR)),
    Cond.native -> native, Cond.wideCount -> context.wide, Cond.mapEntry -> context.mapEntry,
    Cond.headerNative -> context.native, Cond.usualType -> context.usual,
    Cond.headerTooWide -> RegNext(!native &&
      (ask.words(3)(31 downto 21).orR || ask.words(3)(20 downto 16).asUInt > DescriptorLayout.MaxHasbitsWords)),
    Cond.headerTooStrict -> context.tooStrict, Cond.noUnknownList -> context.noUnknown,
    Cond.plainEnd -> (plainRest && RegNext(depth =/= 0) && !is(Flag.listOpen) && context.usual && !missing),
    Cond.plainRest -> plainRest,
    Cond.plainLeave -> (!is(Flag.unknownValid) && (!is(Flag.listOpen) || is(Flag.onTop) && is(Flag.outerValid))),
    Cond.stillOnTop -> (is(Flag.onTop) && is(Flag.outerValid)),
    Cond.wide0 -> shape.log2Size.lsb, Cond.wide1 -> shape.log2Size.msb,
    Cond.misaligned -> outcome.misaligned,
    Cond.noGroups -> !skipping, Cond.atRoot -> (depth === 0), Cond.depthFull -> RegNext(depthFull),
    Cond.seen -> seen, Cond.newList -> (!seen && !is(Flag.outerValid)),
    Cond.missingRequired -> missing,
    Cond.copierIdle -> idles.copier,
    Cond.written -> idles.written, Cond.streamIdle -> idles.stream,
    Cond.allIdle -> idles.all, Cond.completionReady -> io.port.completion.ready,
    Cond.badOperation -> (io.port.command.operation =/= Operation.ProtobufDeserialize.code),
    Cond.commandTaken -> command.taken,
    Cond.odd8 -> outcome.low(2 downto 0).orR, Cond.odd16 -> outcome.low.orR,
    Cond.faultAtInput -> command.faultAtInput, Cond.faultAtUnknown -> command.faultAtUnknown,
    Cond.counted -> writer.io.counted, Cond.packed -> RegNext(writer.io.settled), Cond.outputFull -> writer.io.full,
    Cond.scannerBusy -> (writer.io.scan.busy || stopped),
    Cond.checkUtf8 -> ofStep(entry.checkUtf8),
    Cond.isImplicit -> ofStep(entry.presence === DescriptorLayout.Presence.Implicit),
    Cond.required -> ofStep(entry.presence === DescriptorLayout.Presence.Required),
    Cond.packable -> ofStep(facts.packable),
    Cond.asPacked -> ofStep(entry.packed), Cond.asBytes -> ofStep(facts.wireType(0)),
    Cond.elementWide0 -> ofStep(slotLog2(0)), Cond.elementWide1 -> ofStep(slotLog2(1)),
    Cond.faultAtText -> command.faultAtText,
    Cond.upperHalf -> ask.address(1),
    Cond.inSequence -> fielded(_.open, False), Cond.toWrite -> (if (p.fields) command.writing else False),
    Cond.begun -> fielded(_.begun, False),
    Cond.answerDue -> fielded(_.answerDue, False), Cond.stepReady -> (if (p.fields) at.stepValid else False),
    Cond.stepFails -> (if (p.fields) ofStep(step.action === Action.Fail) else False),
    Cond.illegal -> (if (p.fields) ofStep(!fields.legal) else False),
    Cond.isRaw -> (if (p.fields) ofStep(!facts.known) else False),
    Cond.nests -> (if (p.fields) ofStep(facts.isMessage || facts.isGroup) else False),
    Cond.numberTooLarge -> fielded(_.numberTooLarge, False)) ++ Flag.all.map(flag => flag.is -> flags(flag.index))
  require(Cond.all.forall(conditions.contains), "a condition is nothing")
  private val inEights = for ((eight, kind) <- Cond.all.grouped(8).toSeq zip Kind.conditionEights)
    yield is(kind) && (for ((cond, place) <- eight zip Kind.conditionPlaces) yield is(place) && conditions(cond)).orR
  sequencer.io.taken := inEights.orR ^ field(Micro.Invert).lsb
}
