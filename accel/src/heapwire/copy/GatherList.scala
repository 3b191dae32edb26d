package heapwire.copy

import heapwire.memory.MemoryParameter
import heapwire.memory.engine.MemoryEngine
import spinal.core._
import spinal.lib._

/** The list of a gather: asks for its blocks, two at a time, takes one entry after the other
  * out of them, one a cycle.
  *
  * @param asking blocks of the list are to be asked for
  * @param from   of the first entry; `to`: of the last one's last byte; `entry`: where the checked entry stands
  */
class GatherList(p: MemoryParameter, engine: MemoryEngine, gather: Bool, asking: Bool, from: UInt, to: UInt, entry: UInt) extends Area {
  private val lanes = p.dataWidth / 32
  private val laneWidth = log2Up(lanes)
  private val entryWidth = log2Up(p.blockBytes) - 2
  private val wordWidth = log2Up(p.wordsPerBlock)
  private def entryOf(address: UInt) = address(log2Up(p.blockBytes) - 1 downto 2)
  val lower, upper = Reg(UInt(32 bits))

  /** The side block that is asked for next; which are asked for, which are here. */
  val side = Reg(UInt(1 bits))
  val asked, here = Reg(Bits(2 bits))
  val wanted = asking && !asked(side)
  when(engine.io.sideGotten) {
    asked(side) := True
    side := ~side
  }
  when(engine.io.sideHere.valid) { here(engine.io.sideHere.side) := True }

  /** The next word of the list: its side block and its place there. */
  val at = Reg(UInt(1 + wordWidth bits))
  val listing = RegInit(False)
  val fetching, ahead = RegInit(False)
  /** An entry stands there, checked. */
  val checked = RegInit(False)
  val leaves = Bool()
  /** The word that has come; the one whose entries are taken, from `lane` on; whether it is the list's last. */
  val nextWord = Reg(Bits(p.dataWidth bits))
  val nextLast = Reg(Bool())
  val lane = Reg(UInt(laneWidth bits))
  val loads, moves = Bool()
  val read = engine.io.sideRead
  // Not yet when the word before moves on: so nothing that waits for the bus leads to the engine's stages.
  read.valid := listing && here(at.msb.asUInt) && !fetching && !ahead
  read.payload := at
  fetching clearWhen engine.io.sideWord.valid
  when(read.fire) {
    val last = !asking && !asked(~at.msb.asUInt) && at.resize(wordWidth) === entryOf(to)(entryWidth - 1 downto laneWidth)
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

  // A narrow word is an entry. A wide one waits until its entries are taken, while the next one is fetched.
  val waiting = if (lanes == 1) False else RegInit(False)
  val taken = if (lanes == 1) nextWord.asUInt else {
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
  /** Nothing of the list is under way. */
  val idle = !listing && !fetching && !ahead && !waiting && !checked
  val settled = idle && (asked & ~here) === 0

  /** Takes the entry out of its block's first word. */
  def first(): Unit = at := 0
  def reset(): Unit = {
    at := U"0" @@ entryOf(from)(entryWidth - 1 downto laneWidth)
    lane := entryOf(from).resized
    side := 0
    asked := 0
    here := 0
  }
}
