package heapwire.protobuf.engine

import scala.util.Random

/** The protobuf wire format, for tests. */
object Wire {
  /** Returns the varint of the low 64 bits, with up to `pad` bytes more than it needs. */
  def varint(value: BigInt, pad: Int = 0): Array[Byte] = {
    var rest = value & ((BigInt(1) << 64) - 1)
    val out = scala.collection.mutable.ArrayBuffer[Byte]()
    do {
      out += (rest & 0x7f).toByte
      rest = rest >> 7
    } while (rest != 0)
    for (_ <- 0 until (pad min (10 - out.length))) out += 0
    for (i <- 0 until out.length - 1) out(i) = (out(i) | 0x80).toByte
    out.toArray
  }

  def fixed(value: BigInt, bytes: Int): Array[Byte] = (0 until bytes).map(i => (value >> (8 * i)).toByte).toArray

  def key(number: Int, wireType: Int, pad: Int = 0): Array[Byte] = varint(BigInt(number) << 3 | wireType, pad)

  /** Returns the encoding of a value of a scalar wire type. */
  def encode(value: BigInt, wireType: Int, random: Random): Array[Byte] = wireType match {
    case 0 => varint(value, if (random.nextInt(5) == 0) random.nextInt(10) else 0)
    case 1 => fixed(value, 8)
    case 5 => fixed(value, 4)
  }

  /** Returns a value of random width, within the range of the wire type. */
  def randomValue(random: Random, wireType: Int): BigInt = wireType match {
    case 1 => BigInt(64, random)
    case 5 => BigInt(32, random)
    case _ => BigInt(1 + random.nextInt(64), random)
  }
}
