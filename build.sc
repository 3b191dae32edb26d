// The Mill build: the accelerator (accel) on top of VexRiscv (vexriscv), whose sources come from a pinned Python wheel
// and are adapted to the current SpinalHDL.
import mill._
import mill.scalalib._
import mill.scalalib.scalafmt.ScalafmtModule

/** Returns the content of `tools.env`, the only place where versions are pinned. */
def pins: T[Map[String, String]] = T.input {
  val lines = os.read.lines(mill.api.BuildCtx.workspaceRoot / "tools.env").filter(_.matches("[A-Z_]+=.*"))
  mill.api.Result.Success(lines.map { line => val Array(key, value) = line.split("=", 2); key -> value }.toMap)
}

def pin(key: String) = T.task { pins().apply(key) }

trait SpinalModule extends ScalaModule with ScalafmtModule {
  def scalaVersion = T { pin("SCALA_VERSION")() }
  private def spinal(name: String) = T.task { mvn"com.github.spinalhdl::$name:${pin("SPINALHDL_VERSION")()}" }
  def ivyDeps = T { Agg(spinal("spinalhdl-core")(), spinal("spinalhdl-lib")(), spinal("spinalhdl-sim")()) }
  def scalacPluginIvyDeps = T { Agg(spinal("spinalhdl-idsl-plugin")()) }
}

/** VexRiscv, read from the wheel and never committed. The wheel's sources are for an older SpinalHDL; `adapt` lists all
  * differences.
  */
object vexriscv extends SpinalModule {
  def ivyDeps = T { super.ivyDeps() ++ Agg(mvn"org.yaml:snakeyaml:${pin("SNAKEYAML_VERSION")()}") }
  def scalacOptions = Seq("-language:reflectiveCalls", "-language:postfixOps", "-nowarn")

  private val adapt = Seq(
    ".getDrivingReg" -> ".getDrivingReg()",
    "}.parse(args))" -> "}.parse(args, ()).isDefined)",
    "def clearAll(): Unit ={" -> "def clearFence(): Unit ={",
    "fence.clearAll()" -> "fence.clearFence()"
  )

  /** The folder of the installed wheel: `VEXRISCV_SOURCES`, which the Makefile sets. */
  def wheel = T.input {
    T.env.get("VEXRISCV_SOURCES") match {
      case Some(path) => mill.api.Result.Success(PathRef(os.Path(path)))
      case None       => mill.api.Result.Failure("VEXRISCV_SOURCES is not set: run through make")
    }
  }

  def sources = T {
    os.walk(wheel().path).filter(_.ext == "scala").foreach { file =>
      val text = adapt.foldLeft(os.read(file)) { case (source, (from, to)) => source.replace(from, to) }
      os.write(T.dest / file.relativeTo(wheel().path), text, createFolders = true)
    }
    Seq(PathRef(T.dest))
  }
}

object accel extends SpinalModule {
  def moduleDeps = Seq(vexriscv)
  def sources = T.sources(mill.api.BuildCtx.workspaceRoot / "accel" / "src")
  def scalacOptions = Seq("-deprecation", "-feature", "-language:reflectiveCalls", "-language:postfixOps", "-language:implicitConversions")
  // Elaborating the cluster needs more stack than the JVM's default. Elaboration and tests end before the JVM's second
  // compiler would pay off.
  def forkArgs = Seq("-Xss64m", "-Xmx4g", "-XX:TieredStopAtLevel=1")

  object test extends ScalaTests with TestModule.ScalaTest with ScalafmtModule {
    def ivyDeps = T { Agg(mvn"org.scalatest::scalatest:${pin("SCALATEST_VERSION")()}") }
    def sources = T.sources(mill.api.BuildCtx.workspaceRoot / "accel" / "test")
    def forkArgs = accel.forkArgs
  }
}
