package heapwire.protobuf.engine.message

import heapwire.isa.DescriptorLayout
import heapwire.memory.BlockRam
import heapwire.protobuf.TableHeader
import heapwire.protobuf.engine.command.Command
import heapwire.protobuf.engine.logic.Thermometer
import heapwire.protobuf.engine.microcode._
import heapwire.protobuf.engine.read.LookupContext
import spinal.core._
import spinal.lib._

/** The part of the open message's table header that the hardware keeps. */
class Context(slots: UInt) extends Area {
  val lookup = Reg(LookupContext())
  /** `managed`: its model is that of managed objects; `native`: that of nanopb's structs. */
  val managed, native, model2, wide, mapEntry = Reg(Bool())
  val alignLog2 = Reg(UInt(2 bits))
  val requiredMask = Reg(Bits(32 bits))
  val unknownBit = Reg(UInt(9 bits))
  val enumLists = Reg(UInt(16 bits))
  /** Used when messages are written. */
  val fieldCount = Reg(UInt(16 bits))
  /** Where the ordered entries, which follow the hash slots, begin and end, in units of an entry: one cycle and two
    * cycles late.
    */
  val firstEntry = RegNext((((slots >> 4) @@ True) + (lookup.lastSlot @@ True)) >> 1)
  val behindEntries = RegNext(firstEntry + fieldCount)
  val cleared = Reg(UInt(5 bits))
  val hasbitsOffset = Reg(UInt(16 bits))
  /** The type does not keep unknown fields. */
  val noUnknown = Reg(Bool())
  val tooStrict = Reg(Bool())
  /** [[Cond.usualType]]. */
  val usual = Reg(Bool())
  val ready = RegInit(False)

  /** The header becomes the context; its table is at the address that was asked for. */
  def load(header: TableHeader): Unit = {
    lookup.lastSlot := header.lastSlot
    lookup.maxProbe := header.maxProbe
    managed := header.model === DescriptorLayout.Model.Managed
    native := header.model === DescriptorLayout.Model.Nanopb
    model2 := header.model === 2
    wide := header.wideCount
    mapEntry := header.mapEntry
    alignLog2 := header.alignLog2
    // At most the whole object.
    cleared := header.cleared.andMask(
      (header.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16) < header.objectSize)
    hasbitsOffset := header.hasbitsOffset
    noUnknown := header.unknownFieldsOffset === DescriptorLayout.NoOffset
    unknownBit := header.unknownHasbit.resized
    requiredMask := Thermometer(header.requiredCount.resize(6), 32)
    tooStrict := header.requiredCount > DescriptorLayout.MaxRequired
    usual := header.usual && header.model === DescriptorLayout.Model.Managed
    enumLists := header.enumLists
    fieldCount := header.fieldCount
    ready := True
  }
}

/** The open message: its address, its level, its context, and the stack that keeps the registers of the enclosing
  * messages.
  *
  * @param slots address of the first slot of its table
  */
class OpenMessage(levelWidth: Int, slots: UInt, execution: Execution, command: Command) extends Area {
  import execution._
  val context = new Context(slots)
  // Field instructions work on managed objects.
  when(command.byField) {
    context.managed := True
    context.native := False
  }
  val managed = context.managed
  val native = context.native
  val address = Reg(UInt(32 bits))
  when(does(Act.setMessage) || does(Act.resume)) { address := result }

  /** A message within the open one begins. */
  val enters = does(Act.enter) || does(Act.enterAndRelease) || does(Act.enterAndAsk)
  /** `groups`: how many of the `depth` levels are unknown groups. */
  val depth, groups = Reg(UInt(levelWidth bits))
  /** Equal to `groups =/= 0`. */
  val skipping = RegInit(False)
  val depthFull = depth >= command.depthLimit
  when(enters || does(Act.groupIn)) { depth := depth + 1 }
  when(does(Act.leave) || does(Act.groupOut)) { depth := depth - 1 }
  when(does(Act.groupIn)) {
    groups := groups + 1
    skipping := True
  }
  when(does(Act.groupOut)) {
    groups := groups - 1
    skipping := groups =/= 1
  }
  when(command.begins) {
    depth := 0
    groups := 0
    skipping := False
  }

  val stack = new Area {
    // Nothing is read in the cycle in which it is written; `StackOrder` ensures that.
    val words = BlockRam(Mem(UInt(32 bits), 1 << (levelWidth + 4))).addAttribute("no_rw_check")
    /** The level of the message that has the topmost array, if that is an outer message. */
    val owner = Reg(UInt(levelWidth bits))
    when(enters && is(Flag.listOpen) && is(Flag.onTop) && !native) { owner := depth }
    private def place(level: UInt, index: UInt) = level @@ index.resize(4)
    // One cycle late. The level of an instruction that enters or leaves a message changes no earlier than that.
    private val dest = field(Micro.Dest)
    private val pushes = does(Act.push)
    private val put = RegNext(pushes || go && field(Micro.Keep).lsb && dest.msb) init False
    private val ofOwner = RegNext(pushes && index.msb)
    words.write(place(ofOwner ? owner | depth, RegNext(pushes ? index.resize(4) | dest.asUInt.resize(4))),
      RegNext(result), put)
    val word = RegNextWhen(words.readSync(place(index.msb ? (depth - 1) | depth, index), go), go)
  }

  /** For each byte of the alignment, whether an address must not have it. */
  private val alignMask = Cat((0 to 2).map(i => context.alignLog2 > i))
  /** `header`: the first half of the context's header. */
  def words(header: Vec[Bits]): Map[Outside, Bits] = Map(
    Outside.stacked -> stack.word.asBits, Outside.alignMask -> alignMask.resize(32),
    Outside.header ->
      context.hasbitsOffset ##
      ((context.cleared === 0) ? header(1)(15 downto 0).asUInt |
        (context.cleared << log2Up(DescriptorLayout.ClearedUnit)).resize(16)),
    Outside.enumLists -> (context.enumLists << 4).resize(32).asBits,
    Outside.firstEntry -> (context.firstEntry << 4).asBits,
    Outside.behindEntries -> (context.behindEntries << 4).asBits)
  /** `header`: as above. */
  def conditions(header: Vec[Bits]): Map[Cond, Bool] = Map(
    Cond.native -> native, Cond.wideCount -> context.wide, Cond.mapEntry -> context.mapEntry,
    Cond.managed -> context.managed, Cond.model2 -> context.model2,
    Cond.usualType -> context.usual,
    Cond.headerTooWide -> RegNext(
      !native && (header(3)(31 downto 21).orR || header(3)(20 downto 16).asUInt > DescriptorLayout.MaxHasbitsWords)),
    Cond.headerTooStrict -> context.tooStrict, Cond.noUnknownList -> context.noUnknown,
    Cond.noGroups -> !skipping, Cond.atRoot -> (depth === 0), Cond.depthFull -> RegNext(depthFull)) ++
    Flag.all.map(flag => flag.is -> is(flag))
}
