package heapwire.protobuf

import heapwire.isa.Status
import spinal.core._
import spinal.lib._

/** A number of a field that is a closed enum. */
case class EnumValue() extends Bundle {
  /** The table's address, without its low 4 bits. */
  val table = UInt(28 bits)
  val field = UInt(29 bits)
  val value = Bits(32 bits)
}

/** Remembers numbers that were found to be declared, so that each is looked for
  * once as a rule: direct-mapped, 16 of them. `known` is combinational.
  */
case class DeclaredValues() extends Component {
  private val lines = 16
  val io = new Bundle {
    val query = in(EnumValue())
    val known = out Bool()
    val add = slave(Flow(EnumValue()))
    val invalidate = in Bool()
  }
  private def lineOf(v: EnumValue) = v.value(3 downto 0).asUInt ^ v.field(3 downto 0)
  val values = Mem(EnumValue(), lines)
  val valid = RegInit(B(0, lines bits))
  io.known := valid(lineOf(io.query)) && values.readAsync(lineOf(io.query), writeFirst) === io.query
  values.write(lineOf(io.add.payload), io.add.payload, io.add.valid)
  when(io.add.valid) { valid(lineOf(io.add.payload)) := True }
  when(io.invalidate) { valid := 0 }
}

/** Looks a number up in the enum lists of a table, through the table cache: for
  * each field of a closed enum its number, how many values, the values; then a 0.
  * A field that is not there, or lists beyond `limit`, are a bad descriptor.
  * Two cycles for each 16 bytes, on hits.
  */
case class EnumChecker() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. `query` holds until the end. */
    val start = in Bool()
    val query = in(EnumValue())
    /** Of the lists from the table, in units of 16 bytes; 0: it has none. */
    val distance = in UInt(16 bits)
    val limit = in UInt(32 bits)
    val busy, declared, error = out Bool()
    val status = out Bits(Status.Width bits)
    val request = master(Flow(UInt(32 bits)))
    val hit, fault = in Bool()
    val data = in Bits(128 bits)
    val kill = in Bool()
  }
  object State extends SpinalEnum { val Idle, Number, Count, Values = newElement() }
  import State._
  val state = RegInit(Idle)
  val at = Reg(UInt(36 bits))
  val left = Reg(UInt(32 bits))
  val mine = Reg(Bool())
  val declared = Reg(Bool())
  val asked = RegInit(False)

  val busy = state =/= Idle
  val outside = (at +^ 4) > io.limit.resize(37)
  val arrived = asked && io.hit
  io.request.valid := busy && !arrived && !outside
  io.request.payload := at.resized
  asked := io.request.valid
  io.busy := busy
  io.declared := declared
  io.error := False
  io.status := Status.BadDescriptor.code

  val words = io.data.subdivideIn(32 bits)
  val first = at(3 downto 2)
  val word = words(first).asUInt
  private def fail(): Unit = {
    io.error := True
    state := Idle
  }
  when(arrived) {
    switch(state) {
      is(Idle) {}
      is(Number) {
        mine := word === io.query.field.resize(32)
        at := at + 4
        state := Count
        when(word === 0) { fail() }
      }
      is(Count) {
        left := word
        declared := False
        at := at + 4
        state := Values
        when(mine && word === 0) { state := Idle }
        when(!mine) {
          at := at + 4 + (word << 2).resize(36)
          state := Number
        }
      }
      is(Values) {
        val here = U(4, 3 bits) - first
        // The list ends before word `end` of these four, or behind them.
        val end = (left < 4) ? (first +^ left(2 downto 0)).resize(3) | U(4, 3 bits)
        val matches = (0 until 4).map(i => U(i) >= first && U(i) < end && words(i) === io.query.value).orR
        left := left - here
        at := ((at >> 4) + 1) << 4
        when(matches) { declared := True }
        when(matches || left <= here) { state := Idle }
      }
    }
  }
  when(busy && outside) { fail() }
  when(busy && io.fault) {
    fail()
    io.status := Status.BusFault.code
  }
  when(state === Idle && io.start) {
    at := ((io.query.table +^ io.distance) << 4).resized
    declared := False
    state := Number
    when(io.distance === 0) { at.setAll() }
  }
  when(io.kill) { state := Idle }
}
