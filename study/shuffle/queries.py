"""The queries QA to QE of *Skyway*'s table 3, over the whole tables.

`scale` is the number of orders. Money is in cents, revenue in hundredths of a cent."""

from collections import Counter, defaultdict

from study.records import shuffle as record
from study.records.shuffle import TABLE_TODAY, TABLE_YEAR
from study.shuffle.tables import REGIONS, customers, items, manufacturer, offers, orders, suppliers

PENDING = 400
"""The day of QC: ordered before it, shipped after it."""
QUARTERS = (0, 90, 181, 273)
"""The first day of each quarter."""


def query_a(scale: int) -> dict[str, int]:
    """Returns prices of items shipped within the last 120 days, by return flag and line status."""
    found: Counter[str] = Counter()
    for item in items(scale):
        if TABLE_TODAY - 120 < item.shipped <= TABLE_TODAY:
            group = f"{item.flag}/{item.status}"
            found[f"{group}/quantity"] += item.quantity
            found[f"{group}/price"] += item.price
            found[f"{group}/revenue"] += item.revenue
            found[f"{group}/charge"] += item.revenue * (100 + item.tax)
            found[f"{group}/count"] += 1
    return dict(found)


def query_b(scale: int) -> dict[str, int]:
    """Returns the supplier that asks least for each part in each region, and what it asks."""
    known = suppliers(scale)
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for part, supplier, cost in offers(scale):
        place = part, known[supplier].nation % len(REGIONS)
        best[place] = min(best.get(place, (cost, supplier)), (cost, supplier))
    return {
        f"{part}/{manufacturer(part)}/{REGIONS[region]}/{each.name}/{each.phone}/{each.balance}": cost
        for (part, region), (cost, supplier) in best.items()
        for each in [known[supplier]]
    }


def query_c(scale: int) -> dict[str, int]:
    """Returns the pending orders of a market segment by falling revenue, each with its place and shipping priority."""
    chosen = {each.number for each in customers(scale) if each.segment == "BUILDING"}
    pending = {each.number: each for each in orders(scale) if each.date < PENDING and each.customer in chosen}
    revenue: Counter[int] = Counter()
    for item in items(scale):
        if item.shipped > PENDING and item.order in pending:
            revenue[item.order] += item.revenue
    ranked = sorted(revenue, key=lambda number: (-revenue[number], pending[number].date, number))
    return {
        f"{place}/{number}/{pending[number].date}/{pending[number].priority}": revenue[number]
        for place, number in enumerate(ranked)
    }


def query_d(scale: int) -> dict[str, int]:
    """Returns the number of late orders in each quarter of the first year."""
    late = {item.order for item in items(scale) if item.committed < item.received}
    found: Counter[str] = Counter()
    for order in orders(scale):
        if order.date < TABLE_YEAR and order.number in late:
            found[f"quarter-{sum(order.date >= begin for begin in QUARTERS)}"] += 1
    return dict(found)


def query_e(scale: int) -> dict[str, int]:
    """Returns the customers that returned items by falling lost revenue, each with its place."""
    customer_of = [order.customer for order in orders(scale)]
    known = customers(scale)
    lost: dict[int, int] = defaultdict(int)
    for item in items(scale):
        if item.flag == "R":
            lost[customer_of[item.order]] += item.revenue
    ranked = sorted(lost, key=lambda number: (-lost[number], number))
    return {
        f"{place}/{number}/{each.name}/{each.address}/{each.nation}/{each.phone}/{each.segment}/{each.balance}": lost[
            number
        ]
        for place, number in enumerate(ranked)
        for each in [known[number]]
    }


QUERIES = {
    record.PROGRAM_QUERY_A: query_a,
    record.PROGRAM_QUERY_B: query_b,
    record.PROGRAM_QUERY_C: query_c,
    record.PROGRAM_QUERY_D: query_d,
    record.PROGRAM_QUERY_E: query_e,
}
