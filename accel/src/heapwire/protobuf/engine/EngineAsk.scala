package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.protobuf.TableHeader
import spinal.core._
import spinal.lib._

/** Granules that the program or the scanner asks the cache for, one at a time. */
class EngineAsk(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  val pending = RegInit(False)
  val address = Reg(UInt(32 bits))
  val isObject = Reg(Bool())
  val age = Reg(UInt(2 bits)) init 0
  val granule = Reg(Bits(128 bits))
  /** A header: its second half is wanted, too, which is asked for a cycle later; its first half is still to come. */
  val isHeader = Reg(Bool())
  val rest = RegInit(False)
  val upper = isHeader && age === 1
  val request = pending && (age === 0 || upper)
  val second = RegNext(address + DescriptorLayout.EntrySize)
  when(pending) { age := age + 1 }
  when(age === 2) {
    when(!isHeader) { age := 0 }
    when(cache.io.hit) {
      granule := cache.io.data
      rest := False
      when(!isHeader) { pending := False }
    }
  }
  /** Which bytes of the granule are zero. */
  val zeros = p.writes generate RegNextWhen(Cat(cache.io.data.subdivideIn(8 bits).map(_ === 0)), age === 2 && cache.io.hit)
  val captures = pending && age === 3 && cache.io.hit
  when(captures) { pending := rest }
  private val asks = does(Act.askTable) || does(Act.askObject) || does(Act.askHeader)
  when(asks) {
    pending := True
    age := 0
    address := result
    isObject := does(Act.askObject)
    isHeader := does(Act.askHeader)
    rest := does(Act.askHeader)
  }
  if (p.writes) {
    when(does(Act.turn)) { address(2) := !address(2) }
    when(writer.io.move) { address(3 downto 0) := movedElement(3 downto 0) }
    when(writer.io.scan.stop.valid) { pending := False }
    when(writer.io.ask) {
      pending := True
      age := 0
      address := writer.io.atElement ? movedElement | slotAddress
      isObject := True
      isHeader := False
      rest := False
    }
  }
  val busy = pending && isHeader
  when(command.killing) { pending := False }
  val header = TableHeader()
  header.bits := cache.io.data ## granule
  val words = granule.subdivideIn(32 bits)
}
