"""Noise where a read of a memory meets a write (sim/collisions.py): which reads are rewritten, and how."""

from sim.collisions import noisy
from sim.run import Build

MODULE = """module Memory (input clk);
  (* ram_style = "block" *) reg [7:0] words [0:15];
  reg [7:0] constants [0:15];
  always @(posedge clk) begin
    if(write_valid && enable) begin
      words[write_address] <= data;
    end
    if(read_enable) begin
      value <= words[read_address];
      other <= constants[read_address];
      bit <= command[selected];
    end
  end
endmodule
"""


def test_a_read_that_meets_a_write_gives_noise():
    lines = noisy(MODULE).splitlines()
    assert (
        "      value <= (((|(write_valid && enable)) && write_address == read_address)) ? "
        "(words[read_address] ^ {1{$urandom}}) : words[read_address];" in lines
    )
    assert [line for line in MODULE.splitlines() if "value <=" not in line] == [
        line for line in lines if "value <=" not in line
    ]


def test_lanes_that_are_not_written_keep_theirs():
    lines = noisy("""module Lanes;
  reg [8*BYTES-1:0] words [0:DEPTH-1];
  always @(posedge clk) begin
    for (i = 0; i < BYTES; i = i + 1)
      if (mask[i]) words[to][BITS*i +: BITS] <= data[BITS*i +: BITS];
    if (read_enable) read_data <= words[from];
  end
endmodule
""").splitlines()
    assert (
        "    if (read_enable) begin read_data <= words[from]; for (i = 0; i < BYTES; i = i + 1) if (mask[i] && to == "
        "from) "
        "read_data[BITS*i +: BITS] <= $urandom; end" in lines
    )


def test_every_block_memory_of_the_cluster_has_noise():
    """Every memory that an always block reads and that is written has noise. ROMs have none."""
    verilog = (Build.of().soc.parents[1] / "gen" / Build.of().name / "HeapwireCluster.v").read_text()
    noise = [line for line in noisy(verilog).splitlines() if "$urandom" in line]
    assert len(noise) > 30
    for memory in (
        "RegFilePlugin_regFile",
        "ways_0_tags",
        "banks_0",
        "lines_0",
        "buckets",
        "message_stack_words",
        "words",
    ):
        assert any(f"{memory}[" in line for line in noise), memory
