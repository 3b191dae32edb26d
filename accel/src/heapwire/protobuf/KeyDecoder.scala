package heapwire.protobuf

import heapwire.isa.Status
import spinal.core._
import spinal.lib._

/** Decodes a raw token: field number, value, and what is wrong with it.
  *
  * Of several faults the first of this list is reported: the key or value
  * passes the end of its message (TRUNCATED if the input ends there, else
  * BAD_LENGTH), VARINT_OVERFLOW of the key, FIELD_NUMBER_ZERO, BAD_WIRE_TYPE,
  * VARINT_OVERFLOW of the value, a length beyond the end of its message.
  * Combinational; the caller registers both sides.
  */
object KeyDecoder {
  def apply(raw: RawToken): Token = {
    val token = Token()
    val isField = raw.kind === TokenKind.Field
    val key = new Area {
      val groups = for (i <- 0 until 5) yield {
        val ended = if (i == 0) False else raw.keyEnd(i - 1 downto 0).orR
        raw.key(8 * i, 7 bits).andMask(!ended)
      }
      val value = Cat(groups)
      val overflow = raw.keyOverflow || value(34 downto 32).orR
    }
    val bytes = MuxOH(raw.start, Vec(for (k <- 0 to 5) yield raw.bytes(8 * k, 80 bits)))
    token.kind := raw.kind
    token.number := key.value(31 downto 3).asUInt
    token.wireType := raw.wireType
    token.value := raw.wireType.mux(
      1 -> bytes(63 downto 0),
      5 -> bytes(31 downto 0).resize(64),
      default -> Varint.value(bytes))
    token.beyond := raw.wireType(0) === False && Varint.end(Varint.continuations(bytes)).msb && bytes(79 downto 73).orR
    token.offset := raw.offset
    token.remaining := raw.remaining - raw.length
    token.toInputEnd := raw.toInputEnd
    token.status := Status.Ok.code
    val pastEnd = raw.toInputEnd ? B(Status.Truncated.code, Status.Width bits) | B(Status.BadLength.code, Status.Width bits)
    when(isField || raw.kind === TokenKind.Element) {
      when(raw.exceeds) {
        token.status := pastEnd
      } elsewhen (isField && key.overflow) {
        token.status := Status.VarintOverflow.code
      } elsewhen (isField && token.number === 0) {
        token.status := Status.FieldNumberZero.code
      } elsewhen (isField && raw.wireType(2 downto 1) === B"11") {
        token.status := Status.BadWireType.code
      } elsewhen (raw.valueOverflow) {
        token.status := Status.VarintOverflow.code
      }
    }
    token
  }
}
