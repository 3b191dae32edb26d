package heapwire.isa

/** Constants of Skyway's buffers that units need; docs/reference/skyway.md specifies the format. */
object SkywayFormat {
  /** The relative address of a buffer's first object. */
  val First = 16
  require(First % ObjectLayout.Alignment == 0)
}
