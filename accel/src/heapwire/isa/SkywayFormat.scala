package heapwire.isa

/** The numbers of Skyway's buffers that units know; docs/skyway.md says what they mean. */
object SkywayFormat {
  /** The relative address of a buffer's first object. */
  val First = 16
  require(First % ObjectLayout.Alignment == 0)
}
