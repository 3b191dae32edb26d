package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** One read of an aligned [[PathWord]]. */
case class CachedRead(p: MemoryParameter) extends Bundle {
  /** Byte address; the bits within the word are ignored. */
  val address = UInt(p.addressWidth bits)
  /** Of a long run: the shared cache need not keep it. */
  val streaming = Bool()
}

/** A word that was read. */
case class CachedWord(p: MemoryParameter) extends Bundle {
  val data = Bits(PathWord.bits(p) bits)
  /** The bus denied the block. */
  val error = Bool()

  private def part(at: UInt, log2Bytes: Int): Bits = {
    val shift = PathWord.shift(p)
    if (shift == log2Bytes) data else data.subdivideIn((8 << log2Bytes) bits).read(at(shift - 1 downto log2Bytes))
  }
  /** The aligned eight, or four, bytes around an address. */
  def eight(at: UInt): Bits = part(at, 3)
  def four(at: UInt): Bits = part(at, 2)
}

/** Who reads through a [[ReadAheadCache]].
  *
  * @param requests  words asked for and not yet taken at most
  * @param buffer    words that wait outside the cache until they are taken
  */
case class ReadAheadClient(requests: Int, buffer: Int) {
  require(isPow2(requests) && requests >= 2 && isPow2(buffer) && buffer >= 2,
    s"a client needs room for a power of two of requests and of words, two at least, not $requests and $buffer")
  /** Its words always leave the cache, whether it takes them or not. */
  def drains: Boolean = buffer >= requests
}

/** A read-only cache of whole blocks, `ways` to a set, for readers that ask long before
  * they need the word. Each client gets its words in the order of its
  * requests; any number of blocks may be under way. One request and one word a
  * cycle, all clients together, the first of those that ask or wait first. A hit takes 6 cycles.
  *
  * A block whose words are owed to a client stays until they have left. Clients
  * that `drains` never hold up the others; of the rest there must be none that
  * takes its words only after another client got its own. `hint` takes addresses
  * whose blocks are fetched when there is nothing else to do and room for them.
  *
  *  - `clear` (level, until `idle`): forgets everything, requests and words included.
  *  - `idle`: nothing is under way on the bus.
  */
case class ReadAheadCache(p: MemoryParameter, lines: Int, clients: Seq[ReadAheadClient], ways: Int = 4) extends Component {
  require(isPow2(lines) && lines >= 8, s"lines must be a power of two of at least 8, not $lines")
  require(isPow2(ways) && ways >= 2 && ways * 2 <= lines, s"ways must be a power of two from 2 to half of the lines, not $ways")
  val node: NodeParameters = p.master("read_ahead_cache", lines, get = true)
  val io = new Bundle {
    val requests = Vec(clients.map(_ => slave(Stream(CachedRead(p)))))
    val words = Vec(clients.map(_ => master(Stream(CachedWord(p)))))
    val hint = slave(Stream(UInt(p.addressWidth bits)))
    val clear = in Bool()
    val idle = out Bool()
    /** A client waits for memory. */
    val waiting = out Bool()
    val bus = master(Bus(node))
  }
  private val blockShift = log2Up(p.blockBytes)
  private val lineWidth = log2Up(lines)
  private val wordWidth = blockShift - PathWord.shift(p)
  private val sets = lines / ways
  private val setWidth = log2Up(sets)
  private val tagWidth = p.addressWidth - blockShift - setWidth

  /** Blocks that are a multiple of the cache's size apart, like the starts of two arenas, get different sets. */
  private def setOf(block: UInt): UInt = block.asBits.subdivideIn(setWidth bits, strict = false).map(_.resize(setWidth)).reduce(_ ^ _).asUInt

  case class Tag() extends Bundle {
    val valid = Bool()
    val block = UInt(tagWidth bits)
  }
  /** A word of the port with its error, a memory for each of a word's beats. A line's index is its way and its set. */
  val data = Seq.fill(PathWord.beats(p))(BlockRam(Mem(Bits(p.dataWidth + 1 bits), lines << wordWidth)))
  val tags = Seq.fill(ways)(Mem(Tag(), sets))
  /** The line's block is on its way. */
  val pending = Reg(Bits(lines bits)) init 0

  /** The set was used since the last `clear`; the first one to use it empties its other ways. */
  val used = Reg(Bits(sets bits)) init 0

  case class Owed() extends Bundle {
    val line = UInt(lineWidth bits)
    val word = UInt(wordWidth bits)
  }
  val requests = Vec(io.requests.map(_.m2sPipe(flush = io.clear)))

  /** By way and set: words that came to be owed, and that left; the line is pinned while they differ. */
  val owedIn, owedOut = Seq.fill(ways)(Mem(UInt(ReadAheadCache.countWidth bits), sets))

  /** A block to be looked up, and what for. */
  case class Wanted() extends Bundle {
    /** Whose request it is; nobody's: a hint. */
    val client = Bits(clients.size bits)
    val block = UInt(p.addressWidth - blockShift bits)
    val set = UInt(setWidth bits)
    val word = UInt(wordWidth bits)
    val streaming = Bool()
  }
  /** One of the requests, of the first client that has one; hints while there are none.
    * What leaves has waited for nobody within the cycle: neither has who asks.
    */
  val choose = new Area {
    val room = Bits(clients.size bits)
    val wanted = requests.map(_.valid).asBits() & room
    val chosen = OHMasking.firstV2(wanted)
    val request = MuxOH(chosen, requests.map(_.payload))
    val hint = io.hint.map(_ >> blockShift)
    val output = Stream(Wanted())
    output.valid := wanted.orR || hint.valid
    output.client := chosen
    output.block := wanted.orR ? (request.address >> blockShift) | hint.payload
    output.set := setOf(output.block)
    output.word := (request.address >> PathWord.shift(p)).resized
    output.streaming := request.streaming && wanted.orR
    for (i <- clients.indices) requests(i).ready := output.ready && chosen(i)
    hint.ready := output.ready && !wanted.orR
    val fire = output.fire
    val next = output.s2mPipe(flush = io.clear).m2sPipe(flush = io.clear)
  }

  /** Takes it: counts a request as owed, or has its block fetched. */
  val accept = new Area {
    val top = choose.next
    val asked = top.client.orR
    val chosen = top.client
    val block = top.block
    val owed = Owed()
    owed.word := top.word
    val set = top.set
    val tag = Tag()
    tag.valid := True
    val fresh = !used(set)
    tag.block := block >> setWidth
    private def line(way: Int): UInt = U(way, log2Up(ways) bits) @@ set
    val hits = (0 until ways).map(way => tags(way).readAsync(set).asBits === tag.asBits).asBits().andMask(!fresh)
    val hit = hits.orR
    private val gone = owedOut.map(_.readAsync(set))
    private val count = for ((memory, gone) <- owedIn.zip(gone)) yield fresh ? gone | memory.readAsync(set)
    /** Ways whose line may be given away, and the one that is next. */
    val free = (0 until ways).map(way => !pending(line(way)) && count(way) === gone(way)).asBits()
    val blocked = !hit && !free.orR
    val victim = Reg(Bits(ways bits)) init 1
    val way = hit ? hits | OHMasking.roundRobin(free, victim)
    owed.line := OHToUInt(way) @@ set
    when(top.valid) { victim := victim.rotateLeft(1) }
    private val next = count.map(_ + 1)
    /** As many of the line's words are owed as can be counted. */
    val full = (way & next.zip(gone).map { case (next, gone) => next === gone }.asBits()).orR
    val get = Stream(ChannelA(io.bus.p))
    val go = top.valid && !io.clear && !(asked && full)
    get.valid := go && !hit && !blocked
    get.opcode := Opcode.A.GET
    get.param := top.streaming ? B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits) | B(Param.Hint.NONE, 3 bits)
    get.source := owed.line
    get.address := block @@ U(0, blockShift bits)
    get.size := blockShift
    get.debugId := 0
    get.m2sPipe() >> io.bus.a
    val fire = go && (hit || get.fire)
    top.ready := fire || !asked && blocked
    for (i <- 0 until ways) {
      val own = CombInit(tag)
      own.valid.allowOverride() := way(i)
      tags(i).write(set, own, get.fire && (way(i) || fresh))
      owedIn(i).write(set, (asked && way(i)) ? next(i) | count(i), fire && (asked && way(i) || fresh))
    }
    when(get.fire) {
      pending(owed.line) := True
      used(set) := True
    }
  }

  val refill = new Area {
    private val beats = PathWord.beats(p)
    val d = io.bus.d
    d.ready := True
    val line = d.source.resize(lineWidth)
    val beat = d.beatCounter().resize(log2Up(p.wordsPerBlock))
    val word = (beat >> log2Up(beats)).resize(wordWidth)
    for ((memory, i) <- data.zipWithIndex) {
      val mine = if (beats == 1) True else beat.resize(log2Up(beats)) === i
      memory.write(line @@ word, (d.denied || d.corrupt) ## d.data, d.valid && mine)
    }
    when(d.valid && beat === p.wordsPerBlock - 1) { pending(line) := False }
  }

  /** What a client is owed, in order, and the words that have left the cache for it. */
  case class Account(client: ReadAheadClient, index: Int) extends Area {
    private val width = log2Up(client.requests)
    private val depth = client.buffer min client.requests
    private val depthWidth = log2Up(depth)
    /** Words asked for, that are owed, that left, that are in `words`, that were taken, all told. */
    val asked, head, tail, stored, taken = Reg(UInt(width + 1 bits)) init 0
    val queue = Mem(Owed(), client.requests)
    val words = Mem(CachedWord(p), depth)
    private def apart(later: UInt, earlier: UInt, distance: Int): Bool = {
      val bits = log2Up(distance)
      (later(bits downto 0) ^ earlier(bits downto 0)) === distance
    }
    private val done = if (client.drains) taken else tail
    val asks = choose.fire && choose.chosen(index)
    val following = asked + 1
    when(asks) { asked := following }
    /** Known before a request is there; of what is done, a cycle late. */
    val full = RegNext(!io.clear && (asks ? apart(following, done, client.requests) | apart(asked, done, client.requests))) init False
    val room = !full

    val push = accept.fire && accept.chosen(index)
    queue.write(head.resize(width), accept.owed, push)
    when(push) { head := head + 1 }
    val next = queue.readAsync(tail.resize(width))
    val isPending = pending(next.line)
    val due = head =/= tail && !isPending
    val ready = if (client.drains) due else due && !apart(tail, taken, depth)
    val pop = Bool()
    when(pop) { tail := tail + 1 }
    val arrives = Bool()
    val arrived = CachedWord(p)
    words.write(stored.resize(depthWidth), arrived, arrives)
    when(arrives) { stored := stored + 1 }
    val word = io.words(index)
    word.valid := stored(depthWidth downto 0) =/= taken(depthWidth downto 0)
    word.payload := words.readAsync(taken.resize(depthWidth))
    when(word.fire) { taken := taken + 1 }
    when(io.clear) { for (pointer <- Seq(asked, head, tail, stored, taken)) pointer := 0 }
  }
  val accounts = for ((client, i) <- clients.zipWithIndex) yield Account(client, i)
  choose.room := accounts.map(_.room).asBits()

  val deliver = new Area {
    val ready = accounts.map(_.ready).asBits()
    val chosen = OHMasking.firstV2(ready)
    for ((account, i) <- accounts.zipWithIndex) account.pop := chosen(i) && !io.clear
    val owed = MuxOH(chosen, accounts.map(_.next))
    val read = data.map(_.readSync(owed.line @@ owed.word))
    val to = RegNext(chosen.andMask(!io.clear)) init 0
    for ((account, i) <- accounts.zipWithIndex) {
      account.arrives := to(i)
      account.arrived.data := Cat(read.map(_.resize(p.dataWidth)))
      account.arrived.error := read.map(_.msb).orR
    }
    // A cycle later: a line that stays pinned for that long does no harm.
    val line = RegNext(owed.line)
    private val set = line.resize(setWidth)
    for ((memory, i) <- owedOut.zipWithIndex)
      memory.write(set, memory.readAsync(set) + 1, to.orR && line(lineWidth - 1 downto setWidth) === i)
  }

  when(io.clear) { used := 0 }
  io.idle := !pending.orR
  io.waiting := accounts.map(account => account.head =/= account.tail && account.isPending).orR
}

object ReadAheadCache {
  /** Bits of the counts of a line's words that are owed: one that has 15 of them takes no more. */
  private val countWidth = 4
}
