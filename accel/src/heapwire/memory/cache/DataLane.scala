package heapwire.memory.cache

import heapwire.memory.ByteRam
import heapwire.memory.dram.{FetchedWord, StoredWord}
import spinal.core._
import spinal.lib._

/** The cache's data array and everything that is done with it, strictly in the order of the look-up. A request
  * therefore never sees another request's unfinished work, and needs no lock.
  *
  * For each command: the victim's words go to DRAM, the missing granules of the block come from DRAM, and then the
  * request's own words are read (to `answer`), written, passed on to DRAM, or dropped. It handles a word per cycle;
  * hits follow one another without a gap. A swap takes 3 cycles once `token` says that its block is invalidated.
  * Latency of a hit: 2 cycles.
  */
case class DataLane(c: CacheParameter) extends Component {
  private val p = c.memory
  val io = new Bundle {
    val command = slave(Stream(LaneCommand(c)))
    /** The words of puts, in order. */
    val words = slave(Stream(Word(c)))
    val fetched = slave(Stream(FetchedWord(p)))
    val store = master(Flow(StoredWord(p, c.dram)))
    val answer = master(Stream(Answer(c)))
    /** One item for each swap whose block has been invalidated; each swap takes one. */
    val token = slave(Stream(NoData()))
  }
  val data = ByteRam(p.wordBytes, c.sets * c.ways * p.wordsPerBlock)
  private def bytes(granules: Bits, word: UInt): Bits =
    granules.subdivideIn(c.lanes bits).read(word).asBools.flatMap(Seq.fill(4)(_)).asBits()

  val head = io.command.payload
  val beat = Reg(UInt(c.beatWidth bits)) init 0
  val evicted, filled = RegInit(False)
  val lastOfBlock = beat === p.wordsPerBlock - 1
  val lastOfRequest = beat === c.beats(head.size)
  val evicting = head.evict && !evicted
  val filling = !evicting && head.fill && !filled
  val working = !evicting && !filling

  /** A word that was read in the previous cycle: part of an answer, or a word for DRAM. */
  case class Read() extends Bundle {
    val answer = Answer(c)
    val evicted = Bool()
    val store = StoredWord(p, c.dram)
  }
  val read = Stream(Read())
  val result = read.m2sPipe()
  val word = !working ? beat | (head.first | beat.andMask(!head.swap))
  val step = RegInit(U(0, 2 bits))

  val block = head.tag @@ head.set
  read.valid := False
  read.evicted := evicting
  read.answer.origin := head.origin
  read.answer.size := head.swap ? U(log2Up(p.wordBytes), 3 bits) | head.size
  read.answer.isData := !head.put || head.swap
  read.answer.denied := head.denied
  read.answer.last := head.put || lastOfRequest
  read.answer.data := 0
  read.store.block := block
  read.store.word := beat
  read.store.data := 0
  private val here = bytes(head.here, beat)
  read.store.mask := here
  read.store.last := lastOfBlock

  data.io.write.address := head.way @@ head.set @@ word
  data.io.write.data := filling ? io.fetched.data | io.words.data
  data.io.read.enable := read.ready
  data.io.read.address := head.way @@ head.set @@ word

  io.command.ready := False
  io.words.ready := False
  io.token.ready := False
  val takesFill = io.command.valid && filling
  io.fetched.ready := takesFill
  val passing = False

  /** The expected value of a swap, and the lanes on which the stored value equals it. */
  val expected = Reg(Bits(32 bits))
  val equal = Reg(Bits(c.lanes bits))

  when(io.command.valid) {
    when(evicting) {
      read.valid := True
      when(read.ready) {
        beat := beat + 1
        evicted setWhen lastOfBlock
      }
    } elsewhen (filling) {
      when(io.fetched.valid) {
        beat := beat + 1
        filled setWhen lastOfBlock
      }
    } elsewhen (!head.put) {
      read.valid := True
      when(read.ready) {
        beat := beat + 1
        io.command.ready := lastOfRequest
      }
    } elsewhen (head.swap && head.store) {
      switch(step) {
        is(0) {
          read.valid := io.token.valid && io.words.valid
          when(read.fire) {
            io.token.ready := True
            io.words.ready := True
            expected := io.words.data(31 downto 0)
            step := 1
          }
        }
        is(1) {
          equal := B(data.io.read.data.subdivideIn(32 bits).map(_ === expected))
          step := 2
        }
        default {
          io.words.ready := True
          when(io.words.valid) {
            step := 0
            io.command.ready := True
          }
        }
      }
    } elsewhen (io.words.valid) {
      // A put waits only for room for its own answer. A unit's put is answered by the snoop once its block is
      // invalidated, if the put had an effect.
      read.valid := (head.origin.isCore || head.denied) && lastOfRequest
      when(read.ready || !read.valid) {
        io.words.ready := True
        beat := beat + 1
        passing := head.pass
        io.command.ready := lastOfRequest
      }
    }
  }
  // A word that waits for room for its answer is written repeatedly. So no path leads from that wait to the write
  // enable.
  private val written = head.swap ? equal.andMask(step === 2) | B(c.lanes bits, default -> True)
  private val stored = Vec((0 until p.wordBytes).map(i => io.words.mask(i) && written(i / 4))).asBits.andMask(
    head.put && head.store && io.words.valid)
  private val missing = (~here | B(p.wordBytes bits, default -> head.evict)).andMask(io.fetched.valid)
  data.io.write.mask := (filling ? missing | stored).andMask(io.command.valid && !evicting)

  when(io.command.ready) {
    beat := 0
    evicted := False
    filled := False
  }

  io.answer.valid := result.valid && !result.evicted
  io.answer.payload := result.answer
  io.answer.data.removeAssignments() := data.io.read.data
  result.ready := result.evicted || io.answer.ready

  // A put that passes to DRAM comes at least a cycle after the last word of a victim.
  io.store.valid := result.valid && result.evicted || passing
  io.store.block := passing ? block | result.store.block
  io.store.word := passing ? word | result.store.word
  io.store.data := passing ? io.words.data | data.io.read.data
  io.store.mask := passing ? io.words.mask | result.store.mask
  io.store.last := passing ? lastOfRequest | result.store.last
}
