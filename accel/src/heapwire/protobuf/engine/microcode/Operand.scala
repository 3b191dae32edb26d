package heapwire.protobuf.engine.microcode

import scala.language.implicitConversions

/** The second operand of a result. */
sealed trait Operand
case class OfRegister(r: Register) extends Operand
case class OfOutside(x: Outside) extends Operand
case class OfImmediate(value: Int) extends Operand

object Operand {
  implicit def ofRegister(r: Register): Operand = OfRegister(r)
  implicit def ofOutside(x: Outside): Operand = OfOutside(x)
  implicit def ofImmediate(value: Int): Operand = OfImmediate(value)
}

/** The expression of a result. */
case class Expr(alu: Int, a: Option[Register], second: Operand)

object Expr {
  implicit def pass(r: Register): Expr = Expr(Alu.Pass, None, OfRegister(r))
  implicit def pass(x: Outside): Expr = Expr(Alu.Pass, None, OfOutside(x))
  implicit def pass(value: Int): Expr = Expr(Alu.Pass, None, OfImmediate(value))
}
