package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** One read of an aligned 16-byte word, whatever the width of the port. */
case class CachedRead(p: MemoryParameter) extends Bundle {
  /** Byte address; the low 4 bits are ignored. */
  val address = UInt(p.addressWidth bits)
  /** Of a long run: the shared cache need not keep it. */
  val streaming = Bool()
}

/** A word that was read. */
case class CachedWord() extends Bundle {
  val data = Bits(128 bits)
  /** The bus denied the block. */
  val error = Bool()
}

/** Who reads through a [[ReadAheadCache]].
  *
  * @param requests  words asked for and not yet taken at most
  * @param buffer    words that wait outside the cache until they are taken
  */
case class ReadAheadClient(requests: Int, buffer: Int) {
  require(isPow2(requests) && requests >= 2 && buffer >= 2, s"a client needs room for two requests and two words, not $requests and $buffer")
  /** Its words always leave the cache, whether it takes them or not. */
  def drains: Boolean = buffer >= requests
}

/** A four-way, read-only cache of whole blocks for readers that ask long before
  * they need the word. Each client gets its words in the order of its
  * requests; any number of blocks may be under way. One request and one word a
  * cycle, all clients together. A hit takes 5 cycles.
  *
  * A block whose words are owed to a client stays until they have left. Clients
  * that `drains` never hold up the others; of the rest there must be none that
  * takes its words only after another client got its own. `hints` are addresses
  * whose blocks are fetched when there is nothing else to do and room for them.
  *
  *  - `clear` (level, until `idle`): forgets everything, requests and words included.
  *  - `idle`: nothing is under way on the bus.
  */
case class ReadAheadCache(p: MemoryParameter, lines: Int, clients: Seq[ReadAheadClient], hints: Int) extends Component {
  require(isPow2(lines) && lines >= 8, s"lines must be a power of two of at least 8, not $lines")
  val node: NodeParameters = p.master("read_ahead_cache", lines, get = true)
  val io = new Bundle {
    val requests = Vec(clients.map(_ => slave(Stream(CachedRead(p)))))
    val words = Vec(clients.map(_ => master(Stream(CachedWord()))))
    val hints = Vec.fill(ReadAheadCache.this.hints)(slave(Stream(UInt(p.addressWidth bits))))
    val clear = in Bool()
    val idle = out Bool()
    /** A client waits for memory. */
    val waiting = out Bool()
    val bus = master(Bus(node))
  }
  private val blockShift = log2Up(p.blockBytes)
  private val lineWidth = log2Up(lines)
  private val wordWidth = blockShift - 4
  private val ways = 4
  private val setWidth = lineWidth - log2Up(ways)
  private val tagWidth = p.addressWidth - blockShift - setWidth

  /** Blocks that are a multiple of the cache's size apart, like the starts of two arenas, get different sets. */
  private def setOf(block: UInt): UInt = block.asBits.subdivideIn(setWidth bits, strict = false).map(_.resize(setWidth)).reduce(_ ^ _).asUInt

  /** A line's index is its way and its set. */
  val data = Mem(Bits(128 bits), lines << wordWidth)
  val tags = Seq.fill(ways)(Mem(UInt(tagWidth bits), lines / ways))
  /** The line's block is here or on its way; on its way; was denied; has words that somebody is owed. */
  val valid, pending, bad, pinned = Bits(lines bits)
  for (bits <- Seq(valid, pending, bad)) bits.setAsReg()
  valid.init(0)
  pending.init(0)

  case class Owed() extends Bundle {
    val line = UInt(lineWidth bits)
    val word = UInt(wordWidth bits)
  }
  val requests = Vec(io.requests.map(_.m2sPipe(flush = io.clear)))
  val hint = StreamArbiterFactory().roundRobin.noLock.on(io.hints).m2sPipe(flush = io.clear)

  /** Takes one request: counts it as owed, or has its block fetched. */
  val accept = new Area {
    val wanted = requests.map(_.valid).asBits()
    val turn = Reg(Bits(clients.size bits)) init 1
    when(wanted.orR) { turn := turn.rotateLeft(1) }
    val chosen = OHMasking.roundRobin(wanted, turn)
    val request = MuxOH(chosen, requests.map(_.payload))
    val asked = wanted.orR
    val address = asked ? request.address | hint.payload
    val block = address >> blockShift
    val owed = Owed()
    owed.word := (address >> 4).resized
    val set = setOf(block)
    val tag = block >> setWidth
    private def line(way: Int): UInt = U(way, log2Up(ways) bits) @@ set
    val hits = (0 until ways).map(way => valid(line(way)) && tags(way).readAsync(set, writeFirst) === tag)
    val hit = hits.orR
    /** Ways whose line may be given away, and the one that is next. */
    val free = (0 until ways).map(way => !pending(line(way)) && !pinned(line(way)))
    val blocked = !hit && !free.orR
    val victim = Reg(Bits(ways bits)) init 1
    val way = OHToUInt(hit ? hits.asBits() | OHMasking.roundRobin(free.asBits(), victim))
    owed.line := way @@ set
    when(wanted.orR || hint.valid) { victim := victim.rotateLeft(1) }
    val room = Bool()
    val get = Stream(ChannelA(io.bus.p))
    val go = !io.clear && (asked ? room | hint.valid)
    get.valid := go && !hit && !blocked
    get.opcode := Opcode.A.GET
    get.param := (asked && request.streaming) ? B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) | B(Param.Hint.NONE, 3 bits)
    get.source := owed.line
    get.address := block @@ U(0, blockShift bits)
    get.size := blockShift
    get.debugId := 0
    get.m2sPipe() >> io.bus.a
    val fire = go && (hit || get.fire)
    for (i <- clients.indices) requests(i).ready := fire && chosen(i)
    hint.ready := !asked && (fire || blocked)
    for ((memory, i) <- tags.zipWithIndex) memory.write(set, tag, get.fire && way === i)
    when(get.fire) {
      valid(owed.line) := True
      pending(owed.line) := True
      bad(owed.line) := False
    }
  }

  val refill = new Area {
    private val beatsPerWord = 16 / p.wordBytes
    val d = io.bus.d
    d.ready := True
    val line = d.source.resize(lineWidth)
    val beat = d.beatCounter().resize(log2Up(p.wordsPerBlock))
    val word = (beat >> log2Up(beatsPerWord)).resize(wordWidth)
    val mask = Cat((0 until beatsPerWord).map { i =>
      val mine = if (beatsPerWord == 1) True else beat.resize(log2Up(beatsPerWord)) === i
      B(p.wordBytes bits, default -> mine)
    })
    data.write(line @@ word, Cat(Seq.fill(beatsPerWord)(d.data)), d.valid, mask)
    when(d.valid) {
      when(d.denied || d.corrupt) { bad(line) := True }
      when(beat === p.wordsPerBlock - 1) { pending(line) := False }
    }
  }

  /** What a client is owed, in order, and the words that have left the cache for it. */
  case class Account(client: ReadAheadClient, index: Int) extends Area {
    private val width = log2Up(client.requests)
    val head, tail = Reg(UInt(width + 1 bits)) init 0
    val queue = Mem(Owed(), client.requests)
    val pins = Reg(Bits(lines bits)) init 0
    /** Where in the queue a line's last word is. */
    val lastUse = Mem(UInt(width bits), lines)
    val words = StreamFifo(CachedWord(), client.buffer, latency = 1)
    words.io.flush := io.clear
    /** Words owed and not yet taken; words that left and are not yet taken. */
    val untaken = Reg(UInt(width + 1 bits)) init 0
    val outside = Reg(UInt(log2Up(client.buffer + 1) bits)) init 0
    val room = if (client.drains) untaken =/= client.requests else head - tail =/= client.requests

    val push = accept.fire && accept.chosen(index)
    queue.write(head.resize(width), accept.owed, push)
    lastUse.write(accept.owed.line, head.resize(width), push)
    val next = queue.readAsync(tail.resize(width), writeFirst)
    val due = head =/= tail && !pending(next.line)
    val ready = due && outside =/= client.buffer
    val pop = Bool()
    when(pop) {
      tail := tail + 1
      when(lastUse.readAsync(next.line, writeFirst) === tail.resize(width)) { pins(next.line) := False }
    }
    when(push) {
      head := head + 1
      pins(accept.owed.line) := True
    }
    val taken = words.io.pop.fire
    untaken := untaken + push.asUInt - taken.asUInt
    outside := outside + pop.asUInt - taken.asUInt
    when(io.clear) {
      head := 0
      tail := 0
      untaken := 0
      outside := 0
      pins := 0
    }
    io.words(index) << words.io.pop
  }
  val accounts = for ((client, i) <- clients.zipWithIndex) yield Account(client, i)
  accept.room := MuxOH(accept.chosen, accounts.map(_.room))
  pinned := accounts.map(_.pins).reduce(_ | _)

  val deliver = new Area {
    val ready = accounts.map(_.ready).asBits()
    val chosen = OHMasking.firstV2(ready)
    for ((account, i) <- accounts.zipWithIndex) account.pop := chosen(i) && !io.clear
    val owed = MuxOH(chosen, accounts.map(_.next))
    val read = data.readSync(owed.line @@ owed.word)
    val error = RegNext(bad(owed.line))
    val to = RegNext(chosen.andMask(!io.clear)) init 0
    for ((account, i) <- accounts.zipWithIndex) {
      account.words.io.push.valid := to(i)
      account.words.io.push.data := read
      account.words.io.push.error := error
    }
  }

  when(io.clear) { valid := 0 }
  io.idle := !pending.orR
  io.waiting := accounts.map(account => account.head =/= account.tail && pending(account.next.line)).orR
}
