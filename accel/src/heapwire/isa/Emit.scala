package heapwire.isa

import heapwire.isa.DescriptorLayout.Field

/** Writes what software must know about the hardware: `heapwire.h` for C and `heapwire.json` for everything else. Each
  * holds what its readers use.
  */
object Emit {
  /** An object of the JSON document, in insertion order. */
  private type Entries = Seq[(String, Any)]

  private[heapwire] def json(value: Any, indent: String = ""): String = value match {
    case text: String => "\"" + text + "\""
    case flag: Boolean => flag.toString
    case number: Int => number.toString
    case number: Long => number.toString
    case number: BigInt => number.toString
    case entries: Seq[_] =>
      val inner = indent + "  "
      if (entries.isEmpty) "{}"
      else if (entries.forall(_.isInstanceOf[(_, _)]))
        entries.map { case (key, item) => s"""$inner"$key": ${json(item, inner)}""" }.mkString("{\n", ",\n",
          s"\n$indent}")
      else entries.map(json(_, inner)).mkString("[", ", ", "]")
  }

  private implicit class Flag(flag: Boolean) { def toInt: Int = if (flag) 1 else 0 }

  private def upper(name: String) = name.toUpperCase

  private def fieldJson(fields: Seq[Field]): Entries =
    fields.map(f => f.name -> Seq("offset" -> f.offset, "bit" -> f.bit, "width" -> f.width))

  private val objectConstants: Seq[(String, Int)] = {
    import ObjectLayout._
    Seq("alignment" -> Alignment,
      "mark" -> Header.Mark, "klass" -> Header.Klass, "header_size" -> Header.Size,
      "mark_unlocked" -> Mark.Unlocked, "mark_forwarded" -> Mark.Forwarded, "mark_state_mask" -> Mark.StateMask,
      "mark_age_bit" -> Mark.AgeBit, "mark_age_width" -> Mark.AgeWidth,
      "mark_hash_bit" -> Mark.HashBit, "mark_hash_width" -> Mark.HashWidth,
      "metadata_size" -> Metadata.Size, "metadata_instance" -> Metadata.Instance, "metadata_array" -> Metadata.Array,
      "metadata_array_elements" -> Metadata.ArrayElements,
      "array_length" -> Array.Length, "array_elements" -> Array.Elements,
      "byte_string_hash" -> ByteString.Hash, "byte_string_bytes" -> ByteString.Bytes,
      "byte_string_size" -> ByteString.Size,
      "byte_view_owner" -> ByteView.Owner, "byte_view_mark" -> ByteView.Mark, "byte_view_offset" -> ByteView.Offset,
      "byte_view_length" -> ByteView.Length, "byte_view_size" -> ByteView.Size,
      "array_list_count" -> ArrayList.Count, "array_list_array" -> ArrayList.Array, "array_list_size" -> ArrayList.Size,
      "memo_unset" -> MemoUnset)
  }

  private val klassConstants: Seq[(String, Int)] = {
    import KlassLayout._
    Seq("object_size" -> ObjectSize, "kind" -> Kind, "element_shift" -> ElementShift, "super" -> Super, "id" -> Id,
      "reference_bitmap" -> ReferenceBitmap, "name" -> Name, "flags" -> Flags, "type_id" -> TypeId,
      "flag_metadata" -> FlagMetadata, "size" -> Size) ++ Kinds.map { case (name, value) =>
      s"kind_${name.toLowerCase}" -> value
    }
  }

  private val descriptorConstants: Seq[(String, Int)] = {
    import DescriptorLayout._
    Seq("header_size" -> HeaderSize, "entry_size" -> EntrySize, "magic" -> Magic, "alignment" -> Alignment,
      "no_offset" -> NoOffset, "max_hasbits_words" -> MaxHasbitsWords, "max_required" -> MaxRequired,
      "cleared_unit" -> ClearedUnit,
      "usual_hasbits" -> UsualHasbits, "fold0" -> Fold(0), "fold1" -> Fold(1),
      "initial_record_size" -> EntrySize, "initial_max_data" -> InitialRecord.MaxData,
      "native_deserialize" -> NativeDeserialize.toInt, "native_serialize" -> NativeSerialize.toInt) ++
      Presence.all.map { case (name, value) => s"presence_${name.toLowerCase}" -> value } ++ Model.all.map {
        case (name, value) => s"model_${name.toLowerCase}" -> value
      }
  }

  private val informationConstants: Seq[(String, Int)] = {
    import Information._
    Seq("capability" -> Capability, "sizes" -> Sizes, "completed" -> Completed, "dram_reads" -> DramReads,
      "dram_writes" -> DramWrites, "modes" -> Modes, "program" -> Program,
      "mode_skyway_write" -> (1 << ModeSkywayWrite),
      "mode_skyway_read" -> (1 << ModeSkywayRead), "counter_base" -> CounterBase,
      "counter_stride" -> CounterStride, "version" -> Version, "capability_units_bit" -> CapabilityUnitsBit,
      "capability_units_width" -> CapabilityUnitsWidth, "interrupt_enable_register" -> InterruptEnableRegister,
      "interrupt_line" -> InterruptLine)
  }

  /** @param cluster facts about this elaboration (configuration name, widths, counts) */
  def heapwireJson(cluster: Entries): String = json(Seq(
      "version" -> Information.Version,
      "instructions" -> Instruction.all.map(i => i.name -> Seq("funct3" -> i.funct3, "summary" -> i.summary)),
      "opcode" -> Instruction.Opcode,
      "field_instructions" ->
        FieldInstruction.all.map(i => i.name -> Seq("funct3" -> i.funct3, "summary" -> i.summary)),
      "field_opcode" -> FieldInstruction.Opcode,
      "field_set_up" -> FieldInstruction.SetUp.all,
      "field_check" -> FieldInstruction.Check.all,
      "operations" -> Operation.all.map(o =>
        o.name -> Seq("code" -> o.code, "units" -> UnitKind.all.filter(_.operations.contains(o)).map(_.name),
          "arguments" -> o.arguments, "results" -> o.results)),
      "units" -> UnitKind.all.map(u => u.name -> u.index),
      "status" -> Status.all.map(s => s.name -> Seq("code" -> s.code, "meaning" -> s.meaning)),
      "submit_results" -> SubmitResult.all,
      "wait_results" -> WaitResult.all,
      "registers" -> RuntimeRegister.all.map(r => r.name -> r.index),
      "information" -> informationConstants,
      "counters" -> Information.counters.map(c => c.name -> c.index),
      "object" -> objectConstants,
      "klass" -> klassConstants,
      "cereal" -> CerealFormat.constants,
      "descriptor" ->
        (descriptorConstants ++ Seq(
          "header" -> fieldJson(DescriptorLayout.Header.all), "entry" -> fieldJson(DescriptorLayout.Entry.all),
          "native_header" -> fieldJson(DescriptorLayout.NativeHeader.all),
          "upb_header" -> fieldJson(DescriptorLayout.UpbHeader.all),
          "initial_record" -> fieldJson(DescriptorLayout.InitialRecord.all),
          "native_entry" -> fieldJson(DescriptorLayout.NativeEntry.all))),
      "types" -> FieldType.all.map(t =>
        t.name -> Seq("code" -> t.code, "wire_type" -> t.wireType,
          "log2_size" -> t.log2Size, "list_register" -> FieldType.listRegister(t).index)),
      "cluster" -> cluster)) + "\n"

  /** A header with the program of an object model, as software loads it into the engines. */
  def modelH(name: String, words: Seq[BigInt]): String =
    s"/* The program of the object model $name: what hw_protobuf_load_model is given. */\n#include <stdint.h>\n\n" +
      words.map(word => f"0x$word%08x").grouped(8).map(_.mkString("    ", ", ", ""))
        .mkString(s"static const uint32_t hw_model_$name[] = {\n", ",\n", "\n};\n")

  def heapwireH(cluster: Entries): String = {
    val out = new StringBuilder
    def section(title: String) = out ++= s"\n/* $title */\n"
    def define(name: String, value: Long, comment: String = ""): Unit = {
      val number = if (value < 0) s"($value)" else if (value > 9) f"0x$value%x" else value.toString
      out ++= s"#define HW_$name $number" + (if (comment.isEmpty) "" else s" /* $comment */") + "\n"
    }
    /* Defines a list: a macro that calls its argument X for each row. */
    def list(name: String, columns: String, rows: Seq[Seq[Any]]): Unit =
      out ++= rows.map(_.mkString("X(", ", ", ")")).mkString(s"/* X($columns) */\n#define HW_$name(X) \\\n    ",
        " \\\n    ", "\n")
    out ++= "/* The interface of software and hardware, generated from accel/isa. */\n"
    out ++= "#ifndef HEAPWIRE_H\n#define HEAPWIRE_H\n"
    section("custom-0 instructions: funct3")
    define("OPCODE", Instruction.Opcode)
    Instruction.all.foreach(i => define(s"INSN_${upper(i.name)}", i.funct3, i.summary))
    section(
      "custom-1 instructions, of the fields of messages: funct3; funct7 of seroutput, of chksuccess, of serfield " +
        "and parfield")
    define("FIELD_OPCODE", FieldInstruction.Opcode)
    FieldInstruction.all.foreach(i => define(s"FIELD_INSN_${upper(i.name)}", i.funct3, i.summary))
    FieldInstruction.SetUp.all.foreach { case (name, value) => define(s"FIELD_SET_UP_$name", value) }
    FieldInstruction.Check.all.foreach { case (name, value) => define(s"FIELD_CHECK_$name", value) }
    define("FIELD_NOT_TAKEN", FieldInstruction.NotTaken)
    define("FIELD_FUNCTION_RAW", FieldInstruction.Raw)
    define("FIELD_FUNCTION_REPEATED", 1 << FieldInstruction.RepeatedBit)
    define("FIELD_FUNCTION_FLAG", 1 << FieldInstruction.FlagBit,
      "packed; UTF-8 is checked; the end of a message or group")
    define("FIELD_MAX_DEPTH", FieldInstruction.MaxDepth)
    section("operations: funct7 of submit")
    Operation.all.foreach { o =>
      define(s"OP_${upper(o.name)}", o.code, s"(${o.arguments.mkString(", ")}) -> (${o.results.mkString(", ")})")
    }
    section("unit kinds")
    UnitKind.all.foreach(u => define(s"UNIT_${upper(u.name)}", u.index))
    define("UNIT_KINDS", UnitKind.all.size)
    section(
      "capability word: the counts of the kinds of unit that carry an operation out, of which a cluster has one " +
        "at most")
    Operation.all.foreach(o => define(s"CAPABLE_${upper(o.name)}", Information.capable(o)))
    section("status of a command")
    Status.all.foreach(s => define(s"STATUS_${s.name}", s.code, s.meaning))
    section("answers of submit, of wait, poll, result, release, and of set")
    SubmitResult.all.foreach { case (name, value) => define(s"SUBMIT_$name", value) }
    WaitResult.all.foreach { case (name, value) => define(s"WAIT_$name", value) }
    SetResult.all.foreach { case (name, value) => define(s"SET_$name", value) }
    section("runtime registers")
    RuntimeRegister.all.foreach(r => define(s"REG_${r.name}", r.index))
    section("information words and counters")
    informationConstants.foreach { case (name, value) => define(s"INFO_${upper(name)}", value) }
    Information.counters.foreach(c => define(s"COUNTER_${upper(c.name)}", c.index))
    for ((group, counters) <- Seq("BYTE" -> Information.byteCounters, "CYCLE" -> Information.cycleCounters))
      list(s"${group}_COUNTERS", "name, number", counters.map(c => Seq(c.name, c.index)))
    section("object layout")
    objectConstants.foreach { case (name, value) => define(s"OBJECT_${upper(name)}", value) }
    section("klass layout")
    klassConstants.foreach { case (name, value) => define(s"KLASS_${upper(name)}", value) }
    section("Cereal: the format, and how units are told of classes")
    CerealFormat.constants.foreach { case (name, value) => define(s"CEREAL_${upper(name)}", value) }
    section("descriptor tables")
    descriptorConstants.foreach { case (name, value) => define(s"ADT_${upper(name)}", value) }
    def fields(prefix: String, all: Seq[Field]): Unit = all.foreach { f =>
      define(s"${prefix}_${upper(f.name)}_OFFSET", f.offset)
      define(s"${prefix}_${upper(f.name)}_BIT", f.bit)
      define(s"${prefix}_${upper(f.name)}_WIDTH", f.width)
    }
    fields("ADT", DescriptorLayout.Header.all)
    fields("ENTRY", DescriptorLayout.Entry.all)
    fields("NATIVE", DescriptorLayout.NativeHeader.all)
    fields("UPB", DescriptorLayout.UpbHeader.all)
    fields("INITIAL", DescriptorLayout.InitialRecord.all)
    fields("NATIVE_ENTRY", DescriptorLayout.NativeEntry.all)
    section("field types, as FieldDescriptorProto.Type")
    FieldType.all.foreach(t => define(s"TYPE_${t.name}", t.code))
    list("FIELD_TYPES", "name, code, wire type, log2 of the size of a slot, register of the list's class, encoding",
      FieldType.all.map(t =>
        Seq(t.name, t.code, t.wireType, t.log2Size, s"HW_REG_${FieldType.listRegister(t).name}", t.encoding)))
    section("this cluster")
    cluster.foreach {
      case (name, value: Int) => define(s"CLUSTER_${upper(name)}", value)
      case (name, value: Long) => define(s"CLUSTER_${upper(name)}", value)
      case (name, value: Boolean) => define(s"CLUSTER_${upper(name)}", if (value) 1 else 0)
      case (name, value: String) => out ++= s"#define HW_CLUSTER_${upper(name)} \"$value\"\n"
      case _ =>
    }
    out ++= "\n#endif\n"
    out.toString
  }
}
