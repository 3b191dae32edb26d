package heapwire.memory

import spinal.core._

/** A memory whose bytes are written one by one and whose words are read: one port each, a read takes a cycle.
  *
  * As one array, which synthesis maps to block RAM with byte enables; a `Mem` with a mask becomes an
  * array a byte. What is read while it is written is undefined.
  */
case class ByteRam(bytes: Int, depth: Int) extends BlackBox {
  addGeneric("BYTES", bytes)
  addGeneric("DEPTH", depth)
  val io = new Bundle {
    val clk = in Bool()
    val write = new Bundle {
      val mask = in Bits(bytes bits)
      val address = in UInt(log2Up(depth) bits)
      val data = in Bits(8 * bytes bits)
    }
    val read = new Bundle {
      val enable = in Bool()
      val address = in UInt(log2Up(depth) bits)
      val data = out Bits(8 * bytes bits)
    }
  }
  noIoPrefix()
  mapClockDomain(clock = io.clk)
  setInlineVerilog(
    """module ByteRam #(parameter BYTES = 16, parameter DEPTH = 16) (
      |  input wire clk,
      |  input wire [BYTES-1:0] write_mask,
      |  input wire [$clog2(DEPTH)-1:0] write_address,
      |  input wire [8*BYTES-1:0] write_data,
      |  input wire read_enable,
      |  input wire [$clog2(DEPTH)-1:0] read_address,
      |  output reg [8*BYTES-1:0] read_data
      |);
      |  reg [8*BYTES-1:0] words [0:DEPTH-1];
      |  integer i;
      |  always @(posedge clk) begin
      |    for (i = 0; i < BYTES; i = i + 1)
      |      if (write_mask[i]) words[write_address][8*i +: 8] <= write_data[8*i +: 8];
      |    if (read_enable) read_data <= words[read_address];
      |  end
      |endmodule
      |""".stripMargin)
}
