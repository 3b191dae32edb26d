package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** What the hardware wants to know of an instruction early in its cycle: decoded while it comes out of the ROM, kept beside it. */
case class Kind(name: String, has: Bits => Bool)

object Kind {
  private def acts(name: String, acts: Act*): Kind =
    Kind(name, word => acts.map(act => word(Micro.Action.low, Micro.Action.width bits).asUInt === act.index).orR)
  private def words(name: String, words: Outside*): Kind =
    Kind(name, word => words.map(x => word(Micro.X.low, Micro.X.width bits).asUInt === x.code).orR)
  val stores = Kind("stores", word => word(Micro.StoreMode.low + 2, 2 bits) =/= 0)
  /** The copier; the cache for the program; items for the packer. */
  val copies = acts("copies", Act.clear, Act.copyRaw, Act.copyText, Act.copyNative, Act.copyOut, Act.checkText)
  val asks = acts("asks", Act.askTable, Act.askObject, Act.askHeader)
  val puts = acts("puts", Act.put, Act.putKey, Act.putEnd, Act.putKeyAndScan)
  /** The hasbits of the field or list; of the index. */
  val ofTarget = acts("ofTarget", Act.hasbitsOfList, Act.mark)
  val ofIndex = acts("ofIndex", Act.hasbitsHere)
  val accepts = acts("accepts", Act.accept, Act.acceptAndRun)
  val runs = acts("runs", Act.run, Act.acceptAndRun, Act.resume)
  val readsGranule = words("readsGranule", Outside.cached, Outside.asked)
  val readsCursor = words("readsCursor", Outside.cursor)
  val all: Seq[Kind] = Seq(stores, copies, asks, puts, ofTarget, ofIndex, accepts, runs, readsGranule, readsCursor)
}
