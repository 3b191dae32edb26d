package heapwire

/** How often tests with random input repeat: `full` times in `make test-full`, a quarter of that in `make test`. */
object Rounds {
  val full: Boolean = sys.env.contains("HEAPWIRE_FULL")
  def apply(count: Int): Int = if (full) count else (count / 4).max(1)
}
