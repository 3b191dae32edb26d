package heapwire.memory
import spinal.core._
import spinal.lib._
case class LockPort() extends Bundle with IMasterSlave {
  val request = Bool()
  val granted = Bool()
  override def asMaster(): Unit = {
    out(request)
    in(granted)
  }
}
