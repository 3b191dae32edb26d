package heapwire.core

import spinal.core._
import spinal.lib._
import vexriscv.plugin._
import vexriscv.{DecoderService, JumpService, Riscv, Stageable, VexRiscv}

/** A complete FENCE.I: earlier stores reach the shared cache, then the fetch plugin empties the instruction cache while
  * FENCE.I is in decode, then fetching restarts behind FENCE.I. The fetch plugin alone would execute what it had
  * already fetched, and could refill lines before the stores have drained.
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
    // Has a lower priority than the branch predictor's correction, like every redirection from execute.
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
      // No older instruction can stall this stage. If a debugger does, the jump repeats. So no stall signal leads to
      // the fetch stage.
      jump.valid := arbitration.isValid && input(IS_FENCE_I)
      jump.payload := input(PC) + 4
      arbitration.flushNext setWhen jump.valid
    }
  }
}
