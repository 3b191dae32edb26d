package heapwire

/** How often tests with random input repeat: `full` times in `make test-full`, two fifths of that in `make test`. */
object Rounds {
  val full: Boolean = sys.env.contains("HEAPWIRE_FULL")
  def apply(count: Int): Int = if (full) count else (count * 2 / 5).max(1)
}
