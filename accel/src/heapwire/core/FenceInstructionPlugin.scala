package heapwire.core

import spinal.core._
import spinal.lib._
import vexriscv.plugin._
import vexriscv.{DecoderService, JumpService, Riscv, Stageable, VexRiscv}

/** FENCE.I, whole: earlier stores reach the shared cache, then the instruction cache is
  * emptied (by the fetch plugin, while FENCE.I stands in decode), then fetching starts
  * over behind it. The fetch plugin alone would run what it had already fetched, and
  * could refill before the stores have drained.
  */
class FenceInstructionPlugin extends Plugin[VexRiscv] {
  var storesDrained: Bool = null
  var jump: Flow[UInt] = null

  object IS_FENCE_I extends Stageable(Bool())

  override def setup(pipeline: VexRiscv): Unit = {
    storesDrained = in(Bool()).setName("storesDrained")
    val decoder = pipeline.service(classOf[DecoderService])
    decoder.addDefault(IS_FENCE_I, False)
    decoder.add(Riscv.FENCE_I, List(IS_FENCE_I -> True))
    // Below the branch predictor's correction, like every redirection from execute.
    jump = pipeline.service(classOf[JumpService]).createJumpInterface(pipeline.execute, -20)
  }

  override def build(pipeline: VexRiscv): Unit = {
    import pipeline._
    import pipeline.config._

    decode plug new Area {
      import decode._
      val older = stagesFromExecute.map(_.arbitration.isValid).orR
      arbitration.haltByOther setWhen (arbitration.isValid && input(IS_FENCE_I) && (older || !storesDrained))
    }

    execute plug new Area {
      import execute._
      // Nothing is behind it that could hold it; if a debugger does, it jumps again. So nobody's stall leads to fetch.
      jump.valid := arbitration.isValid && input(IS_FENCE_I)
      jump.payload := input(PC) + 4
      arbitration.flushNext setWhen jump.valid
    }
  }
}
