package heapwire.core

import heapwire.isa.UnitKind
import org.scalatest.funsuite.AnyFunSuite

class ClusterConfigTest extends AnyFunSuite {
  private def refused(say: String)(make: => ClusterConfig): Unit = {
    val problem = intercept[IllegalArgumentException](make)
    assert(problem.getMessage.contains(say))
  }

  test("named configurations are found, others are refused by name") {
    for (config <- ClusterConfig.all) assert(ClusterConfig.named(config.name) == config)
    refused("no configuration 'huge'")(ClusterConfig.named("huge"))
  }

  test("parameters out of range are refused with the value") {
    refused("not 48")(ClusterConfig(dataWidth = 48))
    refused("power of two")(ClusterConfig(memoryBytes = 3 << 20))
    refused("aligned to its size")(ClusterConfig(memoryBase = 0x48000000L))
    refused("below the uncached")(ClusterConfig(memoryBase = 0xf0000000L))
    refused("data cache")(ClusterConfig(dataCacheBytes = 100))
    refused("tags")(ClusterConfig(tags = 33))
    refused("queue depth")(ClusterConfig(queueDepth = 3))
    refused("one engine carries out the field instructions")(ClusterConfig(units = Map(UnitKind.ProtobufEngine -> 2, UnitKind.ProtobufFields -> 2)))
    refused("want an engine")(ClusterConfig(units = Map(UnitKind.ProtobufFields -> 1)))
    refused("16 hardware breakpoints, not 0")(ClusterConfig(hardwareBreakpoints = 0))
    refused("no debug transport 'usb'")(ClusterConfig(debug = DebugTransport.named("usb")))
    refused("divided by 1 or 2, not 4")(ClusterConfig(unitClockDivider = 4))
    refused("one cereal_serializer with unitClockDivider 2, not 2")(ClusterConfig.cerealX2.copy(unitClockDivider = 2))
    refused("not 9 of copy")(ClusterConfig(units = Map(UnitKind.Copy -> 9)))
  }
}
