package heapwire.protobuf.engine

import heapwire.isa.{DescriptorLayout, FieldType}

import scala.util.Random

/** A message type with every field type, singular (number = type code) and repeated (number = code + 100, and a second
  * time code + 3000, so that lists alternate). Message fields have the type itself.
  */
object SampleSchema {
  case class Field(number: Int, kind: FieldType.Type, repeated: Boolean, offset: Int, bit: Int) {
    def log2Slot: Int = if (repeated) 2 else kind.log2Size
  }
  private val kinds = FieldType.all.filterNot(_ == FieldType.Group)
  private val declared = kinds.map(k => (k.code, k, false)) ++ kinds.map(k => (k.code + 100, k, true)) ++
    kinds.map(k => (k.code + 3000, k, true))
  val hasbitsOffset = 8
  val hasbitsWords = 2
  val unknownHasbit: Int = declared.size
  val memoizedSize = 16
  val memoizedIsInitialized = 20
  val unknownFields = 24
  val fields: Seq[Field] = {
    var at = 28
    declared.zipWithIndex.sortBy { case ((_, kind, repeated), _) => if (repeated) 4 else -kind.log2Size }.map {
      case ((number, kind, repeated), bit) =>
        val size = if (repeated) 4 else 1 << kind.log2Size
        at = (at + size - 1) / size * size
        val field = Field(number, kind, repeated, at, bit)
        at += size
        field
    }
  }
  val objectSize: Int = (fields.map(f => f.offset + (1 << f.log2Slot)).max + 7) / 8 * 8
  private val slotCount = 128
  val tableSize: Int = DescriptorLayout.HeaderSize + DescriptorLayout.EntrySize * slotCount

  /** Returns the descriptor table. */
  def table(klass: Long): Array[Byte] = {
    val bytes = new Array[Byte](tableSize)
    def put(base: Int, field: DescriptorLayout.Field, value: Long): Unit = {
      val at = base + field.offset
      val mask = if (field.width == 32) 0xffffffffL else ((1L << field.width) - 1) << field.bit
      val old = (0 until 4).map(i => (bytes(at + i) & 0xffL) << (8 * i)).sum
      val word = (old & ~mask) | ((value << field.bit) & mask)
      for (i <- 0 until 4) bytes(at + i) = (word >> (8 * i)).toByte
    }
    import DescriptorLayout.{Entry, EntrySize, Header, HeaderSize, Magic}
    val slots = Array.fill(slotCount)(Option.empty[Field])
    var longest = 0
    for (field <- fields) {
      var slot = DescriptorLayout.Fold.foldLeft(field.number)((slot, distance) => slot ^ field.number >> distance) &
        slots.length - 1
      var probe = 0
      while (slots(slot).nonEmpty) { slot = (slot + 1) & (slots.length - 1); probe += 1 }
      slots(slot) = Some(field)
      longest = longest max probe
    }
    for ((field, value) <- Seq(Header.Klass -> klass, Header.ObjectSize -> objectSize.toLong,
        Header.HasbitsOffset -> hasbitsOffset.toLong,
        Header.MemoizedSizeOffset -> memoizedSize.toLong,
        Header.MemoizedIsInitializedOffset -> memoizedIsInitialized.toLong,
        Header.UnknownFieldsOffset -> unknownFields.toLong, Header.HasbitsWords -> hasbitsWords.toLong,
        Header.LastSlot -> (slotCount - 1L),
        Header.UnknownHasbit -> unknownHasbit.toLong, Header.MaxProbe -> longest.toLong,
        Header.FieldCount -> fields.size.toLong,
        Header.MagicWord -> (Magic & 0xffffffffL))) put(0, field, value)
    for ((Some(f), i) <- slots.zipWithIndex;
      (field, value) <- Seq(Entry.Number -> f.number, Entry.Offset -> f.offset, Entry.Type -> f.kind.code,
        Entry.Repeated -> (if (f.repeated) 1 else 0), Entry.HasHasbit -> 1, Entry.SubTable -> 0, Entry.Hasbit -> f.bit))
      put(HeaderSize + EntrySize * i, field, value.toLong)
    bytes
  }

  /** A value: the bits of a scalar slot, bytes, or a message. */
  sealed trait Value
  case class Bits(value: BigInt) extends Value
  case class Text(bytes: Seq[Byte]) extends Value
  case class Message(fields: Map[Int, Seq[Value]], unknown: Seq[Byte]) extends Value

  private def stored(kind: FieldType.Type, wire: BigInt): BigInt = {
    val width = 8 << kind.log2Size
    kind match {
      case FieldType.Bool => if (wire == 0) 0 else 1
      case FieldType.Sint32 | FieldType.Sint64 =>
        val low = wire & ((BigInt(1) << width) - 1)
        ((low >> 1) ^ (if (low.testBit(0)) (BigInt(1) << width) - 1 else BigInt(0))) & ((BigInt(1) << width) - 1)
      case _ => wire & ((BigInt(1) << width) - 1)
    }
  }

  /** Returns a random message and an encoding of it: fields in any order; repeated fields packed, unpacked and
    * interleaved; unknown fields at either end.
    */
  def random(dice: Random, depth: Int): (Message, Array[Byte]) = {
    val chosen = dice.shuffle(fields).take(dice.nextInt(14))
    // One part for each occurrence. The parts of a field are in the order of its elements.
    val parts = chosen.flatMap { field =>
      val occurrences =
        if (field.repeated) 1 + dice.nextInt(6) else if (field.kind == FieldType.Message) 1 else 1 + dice.nextInt(2)
      Seq.fill(occurrences) {
        field.kind match {
          case FieldType.Message if depth == 0 => (field, Seq.empty[Value], Array.empty[Byte])
          case FieldType.Message =>
            val (value, body) = random(dice, depth - 1)
            (field, Seq(value), Wire.key(field.number, 2) ++ Wire.varint(body.length) ++ body)
          case FieldType.Str | FieldType.Bytes =>
            val body = Array.fill(dice.nextInt(50))(dice.nextInt().toByte)
            (field, Seq(Text(body.toSeq)), Wire.key(field.number, 2) ++ Wire.varint(body.length) ++ body)
          case kind =>
            val packed = field.repeated && dice.nextBoolean()
            val values = Seq.fill(if (packed) dice.nextInt(20) else 1)(Wire.randomValue(dice, kind.wireType))
            val body = values.flatMap(Wire.encode(_, kind.wireType, dice)).toArray
            (field, values.map(v => Bits(stored(kind, v))),
              if (packed) Wire.key(field.number, 2) ++ Wire.varint(body.length) ++ body
              else Wire.key(field.number, kind.wireType, dice.nextInt(2)) ++ body)
        }
      }
    }
    val ordered = if (dice.nextBoolean()) parts else dice.shuffle(parts)
    val unknown = Wire.key(999, 3) ++ Wire.key(1, 0) ++ Wire.varint(7) ++ Wire.key(999, 4) ++ Wire.key(77, 2) ++
      Wire.varint(20) ++ new Array[Byte](20)
    val values = ordered.groupBy(_._1.number).map { case (number, all) =>
      val elements = all.flatMap(_._2)
      number -> (if (all.head._1.repeated) elements else elements.takeRight(1))
    }.filter(_._2.nonEmpty)
    val (first, last) = (dice.nextInt(3) == 0, dice.nextInt(3) == 0)
    def part(there: Boolean) = if (there) unknown else Array.empty[Byte]
    (Message(values, (part(first) ++ part(last)).toSeq), part(first) ++ ordered.flatMap(_._3).toArray ++ part(last))
  }
}
