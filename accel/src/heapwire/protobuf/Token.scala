package heapwire.protobuf

import heapwire.isa.Status
import spinal.core._
import spinal.lib._

/** What a token stands for. */
object TokenKind extends SpinalEnum {
  /** A key with its value, or with its length, or alone (groups). */
  val Field = newElement()
  /** A value of a packed field. */
  val Element = newElement()
  /** The end of a packed field. */
  val PackedEnd = newElement()
  /** The end of a message. */
  val End = newElement()
}

/** What the parser does next. */
object ParserMode extends SpinalEnum {
  /** Waits for a directive. */
  val Blocked = newElement()
  /** Drops `left` bytes. */
  val Skip = newElement()
  /** Hands out `left` bytes as they are. */
  val Bytes = newElement()
  /** Fields until the message ends. */
  val Field = newElement()
  /** The value of a key of more than five bytes. */
  val Held = newElement()
  /** Values of a packed field until `left` bytes are used up. */
  val PackedVarint, Packed32, Packed64 = newElement()
}

/** A token as it was cut out of the window, not decoded yet. */
case class RawToken() extends Bundle {
  val kind = TokenKind()
  /** The key's first bytes; its last one is marked in `keyEnd`. */
  val key = Bits(40 bits)
  val keyEnd = Bits(5 bits)
  /** The window; the value starts at the marked byte (0..5). */
  val bytes = Bits(120 bits)
  val start = Bits(6 bits)
  /** Bytes consumed. */
  val length = UInt(4 bits)
  /** 0: varint, 1: 64 bit, 5: 32 bit, 2: length. */
  val wireType = Bits(3 bits)
  /** Input offset of the key, or of the element. */
  val offset = UInt(32 bits)
  /** Bytes of the enclosing message before the token. */
  val remaining = UInt(32 bits)
  /** The enclosing message, or packed field, ends where the input ends. */
  val toInputEnd = Bool()
  /** The token would pass the end of what encloses it. */
  val exceeds = Bool()
  /** The key has more than ten bytes, or bits beyond 32. */
  val keyOverflow = Bool()
  /** The value has more than ten bytes. */
  val valueOverflow = Bool()
}

/** A decoded token. `status` other than OK: malformed, the rest but `offset` means nothing. */
case class Token() extends Bundle {
  val kind = TokenKind()
  val number = UInt(29 bits)
  val wireType = Bits(3 bits)
  /** Varint, 32 or 64 bits; a length. */
  val value = Bits(64 bits)
  /** The varint has bits beyond 64. */
  val beyond = Bool()
  val offset = UInt(32 bits)
  /** Bytes of the enclosing message behind the token. */
  val remaining = UInt(32 bits)
  val toInputEnd = Bool()
  val status = Bits(Status.Width bits)

  def failed: Bool = status =/= Status.Ok.code
}

/** What a blocked parser is told.
  *
  *  - Field: go on with fields; the message has `remaining` bytes more.
  *  - Skip, Bytes, Packed...: `left` bytes, then fields again of the same message.
  */
case class Directive() extends Bundle {
  val mode = ParserMode()
  /** Field: the values below are new; else they stay. */
  val frame = Bool()
  val remaining = UInt(32 bits)
  val toInputEnd = Bool()
  val left = UInt(32 bits)
}

/** Up to `bytes` bytes of a string; those from `count` on are undefined. */
case class ByteChunk(bytes: Int = 16) extends Bundle {
  val data = Bits(8 * bytes bits)
  val count = UInt(5 bits)
  val last = Bool()
}
