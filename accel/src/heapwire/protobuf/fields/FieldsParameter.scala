package heapwire.protobuf.fields

import heapwire.isa.FieldInstruction
import heapwire.memory.ReadAheadClient
import heapwire.protobuf.serialize.SerializerParameter
import spinal.core._

/** The shape of the unit of the field instructions.
  *
  * @param queue          instructions that wait for the unit
  * @param serialize      the road from objects to bytes, which it shares with the serializer
  * @param readsInFlight  blocks of input under way
  * @param combinerBlocks blocks in which writes gather, and Puts in flight
  * @param seekBytes      input that is skipped rather than read again from further on
  */
case class FieldsParameter(
    queue: Int = 8,
    serialize: SerializerParameter = SerializerParameter(objectLines = 16, payloadWords = 32),
    readsInFlight: Int = 8,
    combinerBlocks: Int = 16,
    seekBytes: Int = 64) {
  require(isPow2(queue) && queue >= 2, s"queue must be a power of two of at least 2, not $queue")
  require(serialize.maxDepth == FieldInstruction.MaxDepth, s"software counts on ${FieldInstruction.MaxDepth} messages within each other")
  require(seekBytes >= 16 && seekBytes <= 4096, s"seekBytes must lie between 16 and 4096, not $seekBytes")

  /** The readers of objects, in the order of [[FieldClient]]. */
  val clients: Seq[ReadAheadClient] =
    Seq.fill(3)(ReadAheadClient(serialize.fieldsAhead, serialize.fieldsAhead)) :+ ReadAheadClient(serialize.payloadWords, 4)
}

object FieldClient {
  val Slot = 0
  val Reference = 1
  val Array = 2
  val Payload = 3
}
