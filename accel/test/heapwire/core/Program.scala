package heapwire.core

import heapwire.isa.{Operation, SubmitResult}

import java.nio.file.{Files, Path}
import scala.sys.process._

/** Assembles small RV32IMA programs with the cross compiler that the firmware uses. */
object Program {
  /** Macros for the custom-0 instructions and the test's peripherals: see [[CoreBench]] for the addresses. */
  private val prologue =
    """.macro stage i, a, b
      |  .insn r 0x0b, 0, \i, x0, \a, \b
      |.endm
      |.macro submit rd, op, a=x0, b=x0
      |  .insn r 0x0b, 1, \op, \rd, \a, \b
      |.endm
      |.macro hwait rd, tag
      |  .insn r 0x0b, 2, 0, \rd, \tag, x0
      |.endm
      |.macro hpoll rd, tag
      |  .insn r 0x0b, 3, 0, \rd, \tag, x0
      |.endm
      |.macro result rd, tag, i
      |  .insn r 0x0b, 4, \i, \rd, \tag, x0
      |.endm
      |.macro release rd, tag
      |  .insn r 0x0b, 5, 0, \rd, \tag, x0
      |.endm
      |.macro info rd, index
      |  .insn r 0x0b, 6, 0, \rd, \index, x0
      |.endm
      |.macro hset index, value
      |  .insn r 0x0b, 7, 0, x0, \index, \value
      |.endm
      |.equ PUT, 0xf0000000
      |.equ EXIT, 0xf0000004
      |# put REG: hands a word to the test
      |.macro put reg
      |  li t6, PUT
      |  sw \reg, 0(t6)
      |.endm
      |.macro exit
      |  li t6, EXIT
      |  sw x0, 0(t6)
      |9: j 9b
      |.endm
      |.text
      |.globl _start
      |_start:
      |""".stripMargin

  /** Returns a program that runs `count` commands of the copy unit. s1 is the number of the current command, s2 is s1 +
    * 1, and s10 counts retries. `arguments` stages all arguments of a command except the last two, and must have label
    * 2 before its first `stage`. `end` follows at the end. After a wrong result the program puts 0xbad.
    */
  def countedCommands(arguments: String, count: Int, end: String): String =
    s"""  li s1, 0
       |1: addi s2, s1, 1
       |$arguments
       |  submit a0, ${Operation.Copy.code}, s1, s2
       |  li a1, ${SubmitResult.Retry}
       |  bne a0, a1, 3f
       |  addi s10, s10, 1
       |  j 2b
       |3: bltz a0, 2b
       |4: hwait a1, a0
       |  bltz a1, 4b
       |  result a2, a0, 0
       |  bne a2, s1, 5f
       |  release x0, a0        # posted
       |  bnez a1, 5f
       |  addi s1, s1, 1
       |  li t0, $count
       |  bne s1, t0, 1b
       |$end
       |  exit
       |5: li a0, 0xbad
       |  put a0
       |  exit""".stripMargin

  def assemble(text: String, base: Long = 0x40000000L): Array[Byte] = {
    val directory = Files.createTempDirectory("heapwire-program")
    try {
      val source = directory.resolve("program.S")
      val elf = directory.resolve("program.elf")
      val binary = directory.resolve("program.bin")
      Files.writeString(source, prologue + text + "\n")
      run(Seq("riscv64-unknown-elf-gcc", "-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-nostdlib", "-static",
          s"-Wl,-Ttext=0x${base.toHexString}", "-Wl,--build-id=none", "-o", elf.toString, source.toString))
      run(Seq("riscv64-unknown-elf-objcopy", "-O", "binary", elf.toString, binary.toString))
      Files.readAllBytes(binary)
    } finally {
      Files.list(directory).forEach((file: Path) => Files.delete(file))
      Files.delete(directory)
    }
  }

  private def run(command: Seq[String]): Unit = {
    val said = new StringBuilder
    val code = command ! ProcessLogger(line => said ++= line + "\n")
    require(code == 0, s"${command.head} failed:\n$said")
  }
}
