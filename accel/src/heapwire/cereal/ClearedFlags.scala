package heapwire.cereal

import spinal.core._

/** Flags in a small memory, which are cleared all at once, in one cycle or by a reset. They are read and written in
  * words of `width` flags.
  *
  * A clear leaves the memory as it is, and what it contains of a word counts only once the word has been written again.
  * Reads are asynchronous. A clear has priority over a write in the same cycle.
  */
case class ClearedFlags(count: Int) extends Area {
  /** As many words as a distributed memory of ECP5 and Gowin has. */
  private val words = 16
  require(isPow2(count) && count >= 2 * words, s"count must be a power of two of at least ${2 * words}, not $count")
  val width: Int = count / words
  private val memory = Mem(Bits(width bits), words).addAttribute("ram_style", "distributed")
  /** The words that have been written since the last clear. */
  private val fresh = RegInit(B(0, words bits))

  def read(word: UInt): Bits = memory.readAsync(word).andMask(fresh(word))

  def write(word: UInt, flags: Bits, enable: Bool): Unit = {
    memory.write(word, flags, enable)
    when(enable) { fresh(word) := True }
  }

  /** Called behind `write`. */
  def clear(): Unit = fresh.clearAll()
}
