package heapwire.protobuf.execute

import heapwire.isa.{DescriptorLayout, RuntimeRegister}
import heapwire.memory.MemoryParameter
import heapwire.protobuf._
import heapwire.sequencer._
import spinal.core._
import spinal.lib._

/** The instruction that is carried out, its operands and its result. */
abstract class Datapath(p: ProtobufParameter, m: MemoryParameter) extends OpenMessage(p, m) {
  // ---- the program -----------------------------------------------------------------
  private val assembler = Program.assemble()
  val sequencer = Sequencer(assembler.words(Micro.Target), Micro.Bits)
  require(sequencer.addressWidth <= Micro.Target.width, s"the program has ${assembler.size} instructions")
  protected def address(label: String): UInt = U(assembler.address(label), sequencer.addressWidth bits)
  protected def field(f: MicroField): Bits = sequencer.io.instruction(f.low, f.width bits)
  protected def says(f: MicroField): Bool = field(f).lsb
  val stall = Bool()
  sequencer.io.stall := stall
  /** There is an instruction; it is carried out to its end in this cycle. */
  val active = sequencer.io.valid
  val go = active && !stall
  private val acts = UIntToOh(field(Micro.Action).asUInt, Act.all.size)
  /** It is there; it is carried out. */
  protected def wants(act: Act): Bool = active && acts(act.index)
  protected def does(act: Act): Bool = go && acts(act.index)

  // ---- what the sources are made of ---------------------------------------------------
  val loader = TableLoader(m)
  val loaded = Reg(Bits(64 bits))
  val stepLength = step.value(31 downto 0).asUInt
  // A microprogram begins two cycles after its step has come: what it sees of that may be a cycle old.
  /** The step writes its case word, which or has-flag. */
  val marksPresence = Bool()
  val slot = message + (marksPresence ? step.caseOffset.resize(32) | step.offset.resize(32))
  protected def message: UInt = this(Operand.message)
  private val header = loader.io.header
  val elementBytes = UInt(16 bits)
  elementBytes := (U(1, 4 bits) |<< step.log2Size).resize(16)
  when(step.native.isString) { elementBytes := (step.native.pointer && !step.native.fixedLength) ? U(4, 16 bits) | step.native.elementSize }
  when(step.native.isMessage) { elementBytes := step.native.maxCount }
  /** What a block behind the field's pointer has room for: as nanopb asks of its allocator, a multiple of 8; more than there is, if that is past 4 GB. */
  private val blockBytes = UInt(32 bits)
  private val dynamicBytes = stepLength +^ (step.native.isText ? U(1, 3 bits) | (table.wideCount ? U(4, 3 bits) | U(2, 3 bits)))
  private val roundedBytes = (((step.native.isString && !step.native.fixedLength) ? dynamicBytes | elementBytes.resize(33)) + 7) >> 3
  blockBytes := roundedBytes.msb ? U(0xfffffff8L, 32 bits) | (roundedBytes(28 downto 0) << 3)
  private val alignMask = ((U(1, 4 bits) |<< table.alignLog2) - 1).resize(18)
  private val alignedSize = (table.objectSize.resize(18) + alignMask) & ~alignMask
  private val clearedPart = header.cleared << log2Up(DescriptorLayout.ClearedUnit)
  protected val cleared = (clearedPart === 0 || clearedPart >= header.objectSize) ? header.objectSize | clearedPart.resize(16)
  private val loadedWord = this(Operand.readAt)(2) ? loaded(63 downto 32) | loaded(31 downto 0)
  private val loadedHalf = this(Operand.readAt)(1) ? loadedWord(31 downto 16) | loadedWord(15 downto 0)
  private val isCount = table.native && !table.wideCount
  /** A word was asked of the cache in the cycle before; it has come; it is here from the next cycle on. */
  val cacheAsked = RegInit(False)
  val cacheHit = cacheAsked && io.cacheHit
  protected val cacheWord = RegNextWhen(io.cacheData.subdivideIn(32 bits)(this(Operand.cacheAt)(3 downto 2)), cacheHit)
  private val kind = (field(Micro.B).asUInt === Operand.outerArrayKlass.b) ? outerShape.kind | shape.kind
  private val toArray = field(Micro.B).asUInt =/= Operand.listKlass.b
  private val klass = runtime(U(TypeFacts.FirstList, 5 bits) + kind + (toArray ? U(RuntimeRegister.ListToArray, 5 bits) | U(0, 5 bits)))

  protected def roundedDown(limit: UInt): UInt = limit & ~U(7, 32 bits)
  private def slack(shape: ListShape): UInt = U(4, 6 bits) |<< shape.log2Size
  protected def wide(value: UInt): Bits = value.resize(32).asBits
  private val leftSources: Map[Operand, Bits] = (arguments.map(_.asBits).zipWithIndex.map { case (word, i) => Operand.Lefts(i) -> word } ++ Seq(
    Operand.tableAddress -> wide(table.address), Operand.stepLength -> wide(stepLength), Operand.slot -> wide(RegNext(slot)),
    Operand.tableLimit -> wide(runtime.tableLimit), Operand.fixedLimit -> wide(roundedDown(argument("fixed_limit"))),
    Operand.flexLimit -> wide(roundedDown(argument("flexible_limit"))))).toMap
  private val rightSources: Map[Operand, Bits] = Map(
    Operand.slack -> wide(slack(shape)), Operand.outerSlack -> wide(slack(outerShape)), Operand.rest -> wide(step.rest), Operand.number -> wide(step.number), Operand.subTable -> wide(step.subTable),
    Operand.stepLength -> wide(stepLength), Operand.caseOffset -> wide(step.caseOffset), Operand.elementBytes -> wide(elementBytes),
    Operand.elementSize -> wide(step.native.elementSize), Operand.maxCount -> wide(step.native.maxCount),
    Operand.objectSize -> wide(header.objectSize), Operand.memo -> wide(header.memoizedSizeOffset),
    Operand.otherMemo -> wide(header.memoizedIsInitializedOffset), Operand.unknownOffset -> wide(table.unknownOffset),
    Operand.hasbitsOffset -> wide(table.hasbitsOffset), Operand.alignedSize -> wide(RegNext(alignedSize)), Operand.klassWord -> wide(header.klass),
    Operand.listKlass -> klass, Operand.arrayKlass -> klass, Operand.outerArrayKlass -> klass,
    Operand.loaded -> (isCount ? loadedHalf.resize(32) | loadedWord), Operand.loadedHigh -> loaded(63 downto 32),
    Operand.cacheWord -> cacheWord, Operand.cacheLow -> cacheWord(15 downto 0).resize(32),
    Operand.cacheHigh -> cacheWord(31 downto 16).resize(32),
    Operand.hasbitsPlace -> wide(table.hasbitsOffset + (hasbits.io.index << 2)), Operand.hasbitsBytes -> wide(table.hasbitsWords << 2),
    Operand.enumDistance -> wide(table.enumLists << 4), Operand.textPosition -> wide(textPosition), Operand.inputPosition -> wide(io.position),
    Operand.blockBytes -> wide(RegNext(blockBytes)))

  // ---- operands ----------------------------------------------------------------------------
  private val temporaries = Mem(Bits(32 bits), Operand.Temporaries.size)
  private val states = Vec(Operand.States.map(operand => this(operand).asBits))
  /** A source by a code of temporaries, states, and others, of which there are up to 32. */
  private def source(code: UInt, others: Seq[Bits]): Bits = {
    val other = Vec(others.padTo(32, B(0, 32 bits)))(code.resize(5))
    code(5) ? other | (code(4) ? states(code.resize(4)) | temporaries.readAsync(code.resize(4), writeFirst))
  }
  private def others(operands: Seq[Operand], code: Operand => Int, sources: Map[Operand, Bits]): Seq[Bits] = {
    val byCode = sources.map { case (operand, bits) => code(operand) -> bits }
    operands.indices.map(i => byCode(32 + i))
  }
  val a = source(field(Micro.A).asUInt, others(Operand.Lefts, _.a, leftSources)).asUInt
  val b = source(field(Micro.B).asUInt, others(Operand.Rights, _.b, rightSources)).asUInt
  val immediate = field(Micro.Immediate).asSInt.resize(32).asUInt
  val second = says(Micro.UseImmediate) ? immediate | b

  // ---- the result ----------------------------------------------------------------------------
  private val alu = field(Micro.Compute).asUInt
  private val subtracts = alu === Alu.Sub
  private val sum = (a +^ (second ^ U(32 bits, default -> subtracts))) + subtracts.asUInt
  val carry = sum.msb
  val equal = a === second
  result := alu.mux(Alu.And -> (a & second), Alu.Pass -> second, default -> sum.resize(32))
  destination := UIntToOh(field(Micro.Dest).asUInt, 32).andMask(go)
  temporaries.write(field(Micro.Dest).resize(4).asUInt, result.asBits, go && !field(Micro.Dest).msb)
  val misaligned = (result(2 downto 0) & ((U(1, 4 bits) |<< header.alignLog2) - 1).resize(3)) =/= 0
}
