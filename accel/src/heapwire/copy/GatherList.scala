package heapwire.copy

import heapwire.memory.MemoryParameter
import heapwire.memory.engine.MemoryEngine
import spinal.core._
import spinal.lib._

/** The list of a gather: reads its blocks, two at a time, and takes the entries out of them in order, one per cycle.
  *
  * @param asking blocks of the list are still to be read
  * @param from   address of the first entry
  * @param to     address of the last entry's last byte
  * @param entry  register that takes the checked entry
  */
class GatherList(p: MemoryParameter, engine: MemoryEngine, gather: Bool, asking: Bool, from: UInt, to: UInt,
    entry: UInt) extends Area {
  private val lanes = p.dataWidth / 32
  private val laneWidth = log2Up(lanes)
  private val entryWidth = log2Up(p.blockBytes) - 2
  private val wordWidth = log2Up(p.wordsPerBlock)
  private def entryOf(address: UInt) = address(log2Up(p.blockBytes) - 1 downto 2)
  val lower, upper = Reg(UInt(32 bits))

  /** The side block that is read next; which side blocks were requested, and which have arrived. */
  val side = Reg(UInt(1 bits))
  val asked, here = Reg(Bits(2 bits))
  val wanted = asking && !asked(side)
  when(engine.io.sideGotten) {
    asked(side) := True
    side := ~side
  }
  when(engine.io.sideHere.valid) { here(engine.io.sideHere.side) := True }

  /** The next word of the list: its side block and its position in that block. */
  val at = Reg(UInt(1 + wordWidth bits))
  val listing = RegInit(False)
  val fetching, ahead = RegInit(False)
  /** `entry` holds a checked entry. */
  val checked = RegInit(False)
  val leaves = Bool()
  /** The word that arrived last, and whether it is the list's last. `lane` is the next entry of the word in use. */
  val nextWord = Reg(Bits(p.dataWidth bits))
  val nextLast = Reg(Bool())
  val lane = Reg(UInt(laneWidth bits))
  val loads, moves = Bool()
  val read = engine.io.sideRead
  // Does not start in the cycle in which the previous word moves on, so that no path leads from the bus's back-pressure
  // to the engine's stages.
  read.valid := listing && here(at.msb.asUInt) && !fetching && !ahead
  read.payload := at
  fetching clearWhen engine.io.sideWord.valid
  when(read.fire) {
    val last = !asking && !asked(~at.msb.asUInt) &&
      at.resize(wordWidth) === entryOf(to)(entryWidth - 1 downto laneWidth)
    fetching := True
    nextLast := last
    at := at + 1
    listing clearWhen last
    when(last || at.resize(wordWidth).andR) {
      asked(at.msb.asUInt) := False
      here(at.msb.asUInt) := False
    }
  }
  when(engine.io.sideWord.valid) { nextWord := engine.io.sideWord.payload }
  ahead := engine.io.sideWord.valid || ahead && !moves

  // A word of 32 bits is one entry. A wider word is held until its entries are taken, while the next word is fetched.
  val waiting = if (lanes == 1) False else RegInit(False)
  val taken = if (lanes == 1) nextWord.asUInt
  else {
    val isLast = RegNextWhen(nextLast, moves)
    val emptied = loads && (lane.andR || isLast && lane === entryOf(to)(laneWidth - 1 downto 0) || !gather)
    moves := ahead && (!waiting || emptied)
    waiting := moves || waiting && !emptied
    loads := waiting && (!checked || leaves)
    when(loads) { lane := lane + 1 }
    RegNextWhen(nextWord, moves).subdivideIn(32 bits).read(lane).asUInt
  }
  if (lanes == 1) {
    moves := loads
    loads := ahead && (!checked || leaves)
  }
  checked := loads && gather || checked && !leaves
  val clear = False
  when(loads) { entry := taken }
  when(clear) { entry := 0 }
  val misaligned = RegNextWhen(taken(3 downto 0) =/= 0, loads)
  val outside = RegNextWhen(taken < lower || !(taken(31 downto 4) < upper(31 downto 4)), loads)
  val bad = misaligned || outside
  /** No word or entry of the list is under way. */
  val idle = !listing && !fetching && !ahead && !waiting && !checked
  val settled = idle && (asked & ~here) === 0

  /** Selects the first word of side block 0, for the result of a swap. */
  def first(): Unit = at := 0
  def reset(): Unit = {
    at := U"0" @@ entryOf(from)(entryWidth - 1 downto laneWidth)
    lane := entryOf(from).resized
    side := 0
    asked := 0
    here := 0
  }
}
