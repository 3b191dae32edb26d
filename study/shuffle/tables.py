"""The synthetic tables of the queries: study/firmware/programs/shuffle/queries/tables.h. A column is a function of a
row's number."""

from dataclasses import dataclass
from typing import Iterator

from study.records.shuffle import TABLE_DAYS, TABLE_NATIONS, TABLE_ORDER_LINES, TABLE_TODAY, Column
from study.records.shuffle import TABLE_PART_SUPPLIERS as SUPPLIERS_OF_A_PART
from study.shuffle.plain import random

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
SEGMENTS = ("AUTOMOBILE", "BUILDING", "MACHINERY")
SHIPPED_WITHIN, RECEIVED_WITHIN = 121, 30


def value(row: int, column: str) -> int:
    return random(row, Column[column.upper().replace(" ", "_")])


@dataclass(frozen=True)
class Order:
    number: int
    customer: int
    date: int
    priority: int


@dataclass(frozen=True)
class Item:
    order: int
    quantity: int
    price: int
    discount: int
    tax: int
    flag: str
    status: str
    shipped: int
    committed: int
    received: int

    @property
    def revenue(self) -> int:
        """Returns what is paid after the discount, in hundredths of a cent."""
        return self.price * (100 - self.discount)


@dataclass(frozen=True)
class Party:
    """A customer or a supplier."""

    number: int
    name: str
    nation: int
    phone: str
    balance: int


@dataclass(frozen=True)
class Customer(Party):
    address: str
    segment: str


def customer_count(scale: int) -> int:
    return scale // 4 + 1


def part_count(scale: int) -> int:
    return scale // 4 + 1


def supplier_count(scale: int) -> int:
    return scale // 16 + SUPPLIERS_OF_A_PART


def orders(scale: int) -> list[Order]:
    days = TABLE_DAYS - SHIPPED_WITHIN - RECEIVED_WITHIN
    return [
        Order(
            row,
            value(row, "order customer") % customer_count(scale),
            value(row, "order date") % days,
            value(row, "order priority") % 5,
        )
        for row in range(scale)
    ]


def items(scale: int) -> Iterator[Item]:
    for order in orders(scale):
        for line in range(1 + value(order.number, "order lines") % (TABLE_ORDER_LINES - 1)):
            row = order.number * TABLE_ORDER_LINES + line
            quantity = 1 + value(row, "item quantity") % 50
            shipped = order.date + 1 + value(row, "item shipped") % SHIPPED_WITHIN
            received = shipped + 1 + value(row, "item received") % RECEIVED_WITHIN
            yield Item(
                order=order.number,
                quantity=quantity,
                price=quantity * (90_000 + value(row, "item price") % 100_000),
                discount=value(row, "item discount") % 11,
                tax=value(row, "item tax") % 9,
                flag="N" if received > TABLE_TODAY else "AR"[value(row, "item returned") % 2],
                status="O" if shipped > TABLE_TODAY else "F",
                shipped=shipped,
                committed=order.date + 30 + value(row, "item committed") % 61,
                received=received,
            )


def _party(kind: str, row: int) -> tuple[int, str, int, str, int]:
    nation, phone = value(row, f"{kind} nation") % TABLE_NATIONS, value(row, f"{kind} phone")
    return (
        row,
        f"{kind.capitalize()}#{row}",
        nation,
        f"{nation + 10}-{phone % 1000:03}-{phone // 1000 % 10000:04}",
        value(row, f"{kind} balance") % 1_099_999 - 99_999,
    )


def customers(scale: int) -> list[Customer]:
    return [
        Customer(
            *_party("customer", row),
            address=f"{street % 200 + 1} Street {street // 200 % 900 + 100}",
            segment=SEGMENTS[value(row, "customer segment") % 3],
        )
        for row in range(customer_count(scale))
        for street in [value(row, "customer street")]
    ]


def suppliers(scale: int) -> list[Party]:
    return [Party(*_party("supplier", row)) for row in range(supplier_count(scale))]


def manufacturer(part: int) -> str:
    return f"Manufacturer#{value(part, 'part manufacturer') % 5 + 1}"


def offers(scale: int) -> Iterator[tuple[int, int, int]]:
    """Yields part, supplier and cost of each row of PARTSUPP."""
    count = supplier_count(scale)
    for part in range(part_count(scale)):
        for place in range(SUPPLIERS_OF_A_PART):
            row = part * SUPPLIERS_OF_A_PART + place
            cost = 100 + value(row, "part supplier cost") % 99_901
            yield part, (part + place * (count // SUPPLIERS_OF_A_PART)) % count, cost
