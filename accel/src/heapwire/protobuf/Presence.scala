package heapwire.protobuf

import heapwire.isa.DescriptorLayout
import spinal.core._
import spinal.lib._

/** One word of an object's hasbits. */
case class PresenceWord() extends Bundle {
  val index = UInt(log2Up(DescriptorLayout.MaxHasbitsWords) bits)
  val bits = Bits(32 bits)
}

/** The hasbits of the open message. Sixteen words of 32 fields; a word that was
  * never marked reads as zero. A message's words are put aside while a message
  * in it is open.
  */
case class Presence(p: ProtobufParameter) extends Component {
  private val words = DescriptorLayout.MaxHasbitsWords
  val io = new Bundle {
    val bit = in UInt(9 bits)
    /** Combinational answer for `bit`. */
    val seen = out Bool()
    val mark = in Bool()
    /** A word of an object that is opened again; only while not busy. */
    val load = slave(Flow(PresenceWord()))
    val clear = in Bool()
    /** Puts the words aside for `level`, then clears; busy until done. */
    val save = in Bool()
    /** Takes back the words of `level` that `restoreWords` names. */
    val restore = in Bool()
    val restoreWords = in Bits(words bits)
    val level = in UInt(p.levelWidth bits)
    val busy = out Bool()
    /** The words that were marked. */
    val marked = out Bits(words bits)
    /** Combinational: the hasbits of word `readIndex`. */
    val readIndex = in UInt(log2Up(words) bits)
    val hasbits = out Bits(32 bits)
  }
  private val Index = HardType(UInt(log2Up(words) bits))
  private val StoreIndex = HardType(UInt(log2Up((p.maxDepth + 1) * words) bits))
  val bits = Mem(Bits(32 bits), words)
  val store = Mem(Bits(32 bits), (p.maxDepth + 1) * words)
  val valid = Reg(Bits(words bits)) init 0
  val saving, restoring = Reg(Bits(words bits)) init 0
  val savedLevel = Reg(UInt(p.levelWidth bits))

  private def first(set: Bits) = OHToUInt(OHMasking.firstV2(set))
  private def only(index: UInt) = UIntToOh(index, words)
  private def stored(index: UInt): UInt = {
    val at = StoreIndex()
    at := (savedLevel << log2Up(words)).resize(widthOf(at)) | index.resized
    at
  }

  val word = io.bit(8 downto 5)
  val old = bits.readAsync(word, writeFirst).andMask(valid(word))
  val position = UIntToOh(io.bit(4 downto 0), 32)
  io.seen := (old & position).orR

  val writeIndex = Index()
  val writeData = Bits(32 bits)
  writeIndex := word
  writeData := old | position
  val write = CombInit(io.mark)
  when(io.mark) { valid(word) := True }
  when(io.load.valid) {
    write := True
    writeIndex := io.load.index
    writeData := io.load.bits
    valid(io.load.index) := True
  }

  val saveIndex = first(saving)
  when(saving.orR) { saving := saving & ~only(saveIndex) }
  store.write(stored(saveIndex), bits.readAsync(saveIndex, writeFirst), saving.orR)

  val restoreIndex = first(restoring)
  val restored = RegNext(restoring.orR) init False
  val restoredIndex = RegNext(restoreIndex)
  val restoredData = store.readSync(stored(restoreIndex))
  when(restoring.orR) { restoring := restoring & ~only(restoreIndex) }
  when(restored) {
    write := True
    writeIndex := restoredIndex
    writeData := restoredData
  }
  bits.write(writeIndex, writeData, write)

  when(io.save) {
    saving := valid
    valid := 0
    savedLevel := io.level
  }
  when(io.restore) {
    restoring := io.restoreWords
    valid := io.restoreWords
    savedLevel := io.level
  }
  when(io.clear) {
    valid := 0
    saving := 0
    restoring := 0
  }
  io.busy := saving.orR || restoring.orR || restored
  io.marked := valid
  io.hasbits := bits.readAsync(io.readIndex, writeFirst).andMask(valid(io.readIndex))
}
