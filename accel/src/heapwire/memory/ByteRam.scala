package heapwire.memory

import spinal.core._

/** A memory whose words are written with a mask per lane and read whole. It has one write port and one read port; a
  * read takes a cycle.
  *
  * It is one array, which synthesis maps to block RAM with lane enables; a `Mem` with a mask becomes one array per
  * lane. Reading a lane while it is written returns an undefined value. Lanes of the same word that are not written are
  * read correctly; the core's data cache relies on that.
  *
  * @param laneBits 8, or 9 for bytes that carry a flag, for which block RAM has room
  */
case class ByteRam(bytes: Int, depth: Int, laneBits: Int = 8) extends BlackBox {
  require(laneBits == 8 || laneBits == 9, s"laneBits must be 8 or 9, not $laneBits")
  addGeneric("BYTES", bytes)
  addGeneric("DEPTH", depth)
  addGeneric("BITS", laneBits)
  val io = new Bundle {
    val clk = in(Bool())
    val write = new Bundle {
      val mask = in Bits (bytes bits)
      val address = in UInt (log2Up(depth) bits)
      val data = in Bits (laneBits * bytes bits)
    }
    val read = new Bundle {
      val enable = in(Bool())
      val address = in UInt (log2Up(depth) bits)
      val data = out Bits (laneBits * bytes bits)
    }
  }
  noIoPrefix()
  mapClockDomain(clock = io.clk)
  setInlineVerilog(
    """module ByteRam #(parameter BYTES = 16, parameter DEPTH = 16, parameter BITS = 8) (
      |  input wire clk,
      |  input wire [BYTES-1:0] write_mask,
      |  input wire [$clog2(DEPTH)-1:0] write_address,
      |  input wire [BITS*BYTES-1:0] write_data,
      |  input wire read_enable,
      |  input wire [$clog2(DEPTH)-1:0] read_address,
      |  output reg [BITS*BYTES-1:0] read_data
      |);
      |  (* ram_style = "block", no_rw_check *)
      |  reg [BITS*BYTES-1:0] words [0:DEPTH-1];
      |  integer i;
      |  always @(posedge clk) begin
      |    for (i = 0; i < BYTES; i = i + 1)
      |      if (write_mask[i]) words[write_address][BITS*i +: BITS] <= write_data[BITS*i +: BITS];
      |    if (read_enable) read_data <= words[read_address];
      |  end
      |endmodule
      |""".stripMargin)
}

object BlockRam {
  /** Marks a memory to be mapped to block RAM. */
  def apply[T <: Data](memory: Mem[T]): Mem[T] = {
    memory.addAttribute("ram_style", "block")
    memory
  }
}
