@0xb0d3f5a9c6e41728;
# The messages of repeated.proto that "Datacenter Tax Cuts" compares with Cap'n Proto.

struct Ultimaker {
  a @0 :Float32; b @1 :Float32; c @2 :Float32; d @3 :Float32; e @4 :Float32; f @5 :Float32;
  g @6 :Float32; h @7 :Float32; i @8 :Float32; j @9 :Float32; k @10 :Float32; l @11 :Float32;
  point @12 :List(Point);
  struct Point { value @0 :Float32; time @1 :Int64; }
}

struct LuaPbIntf {
  a @0 :UInt32; b @1 :UInt64; c @2 :Int32; d @3 :Int64; e @4 :Bool; f @5 :Float32; g @6 :Float64; h @7 :Text; i @8 :Data; j @9 :Int32;
  number @10 :List(Int32); text @11 :List(Text);
}
