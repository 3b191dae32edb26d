package heapwire.core

import heapwire.isa.UnitKind
import org.scalatest.funsuite.AnyFunSuite

class ClusterConfigTest extends AnyFunSuite {
  private def refused(say: String)(make: => ClusterConfig): Unit = {
    val problem = intercept[IllegalArgumentException](make)
    assert(problem.getMessage.contains(say))
  }

  test("named configurations are found, others are refused by name") {
    for (config <- ClusterConfig.bases) assert(ClusterConfig.named(config.name) == config)
    refused("no configuration 'huge'")(ClusterConfig.named("huge"))
    refused("no configuration 'cerealx2'")(ClusterConfig.named("cerealx2"))
  }

  test("parameters in a name are applied") {
    val found = ClusterConfig.named("skyway-x4-e32-k128-l16")
    assert(found.name == "skyway-x4-e32-k128-l16" && found.addedLatency == 16 && found.cerealSerializer.skyway &&
      found.cereal.skyway)
    assert(Seq(UnitKind.CerealSerializer, UnitKind.CerealDeserializer, UnitKind.Copy).map(found.count) == Seq(4, 4, 1))
    assert(found.cerealSerializer.accessEntries == 32 && found.cerealSerializer.blocksAhead == 8 &&
      found.sharedCacheBytes == 131072)
    assert(ClusterConfig.named("cereal-vanilla-x2").cerealSerializer.pipelined == false)
    assert(ClusterConfig.named("cereal-vanilla-e32").cerealSerializer.blocksAhead == 0)
    assert(ClusterConfig.named("bare-k64").sharedCacheBytes == 65536)
  }

  test("parameters that are unknown, repeated, useless or out of range are refused with the reason") {
    for (name <- Seq("cereal-", "cereal-x4-", "cereal-z2", "cereal-x", "cereal-x02", "cereal-x-2", "cereal-2"))
      refused("is no parameter; there are -xN")(ClusterConfig.named(name))
    for (name <- Seq("cereal-x2-x4", "cereal-e32-x2"))
      refused("each parameter once, in the order -xN -eN -kN -lN")(ClusterConfig.named(name))
    refused("1 is what cereal has")(ClusterConfig.named("cereal-x1"))
    refused("default has no entries of the memory access interface")(ClusterConfig.named("default-e32"))
    refused("0 to 8 units of a kind, not 9")(ClusterConfig.named("cereal-x9"))
    refused("accessEntries must be 16, 32 or 64, not 8")(ClusterConfig.named("cereal-e8"))
    refused("power of two")(ClusterConfig.named("cereal-k48"))
    refused("0 to 64 cycles to reads, not 65")(ClusterConfig.named("cereal-l65"))
  }

  test("parameters out of range are refused with the value") {
    refused("not 48")(ClusterConfig(dataWidth = 48))
    refused("power of two")(ClusterConfig(memoryBytes = 3 << 20))
    refused("aligned to its size")(ClusterConfig(memoryBase = 0x48000000L))
    refused("below the uncached")(ClusterConfig(memoryBase = 0xf0000000L))
    refused("data cache")(ClusterConfig(dataCacheBytes = 100))
    refused("tags")(ClusterConfig(tags = 33))
    refused("queue depth")(ClusterConfig(queueDepth = 3))
    refused("one engine carries out the field instructions")(ClusterConfig(units = Map(UnitKind.ProtobufEngine -> 2,
        UnitKind.ProtobufFields -> 2)))
    refused("want an engine")(ClusterConfig(units = Map(UnitKind.ProtobufFields -> 1)))
    refused("16 hardware breakpoints, not 0")(ClusterConfig(hardwareBreakpoints = 0))
    refused("no debug transport 'usb'")(ClusterConfig(debug = DebugTransport.named("usb")))
    refused("divided by 1 or 2, not 4")(ClusterConfig(unitClockDivider = 4))
    refused("one cereal_serializer with unitClockDivider 2, not 2")(
      ClusterConfig.named("cereal-x2").copy(unitClockDivider = 2))
    refused("not 9 of copy")(ClusterConfig(units = Map(UnitKind.Copy -> 9)))
  }
}
