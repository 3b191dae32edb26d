"""Numbers as the report writes them."""
from __future__ import annotations


def count(value: float | int | None) -> str:
    """1,234; nothing of nothing."""
    return "" if value is None else f"{value:,.0f}"


def short(value: float | None) -> str:
    """Three digits that say something: 1,230, 12.3, 1.23, 0.0123."""
    if value is None or value != value:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percent(share: float | None) -> str:
    """12.3 %."""
    return "" if share is None else f"{100 * share:.1f} %"


def times(value: float | None) -> str:
    """12.3x."""
    return f"{short(value)}x" if value is not None else ""
