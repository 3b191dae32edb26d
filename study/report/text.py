"""Formats numbers for the report."""

from typing import Callable


def count(value: float | int | None) -> str:
    """Formats a count: 1,234. None gives an empty text."""
    return "" if value is None else f"{value:,.0f}"


def short(value: float | None) -> str:
    """Formats three significant digits: 1,230, 12.3, 1.23, 0.0123."""
    if value is None or value != value:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percent(share: float | None) -> str:
    """Formats a share: 12.3 %."""
    return "" if share is None else f"{100 * share:.1f} %"


def signed(share: float) -> str:
    """Formats a change: +12 %."""
    return f"{100 * share:+.0f} %"


def whole(share: float) -> str:
    """Formats a share: 12 %."""
    return f"{100 * share:.0f} %"


def fixed(digits: int) -> Callable[[float], str]:
    """Returns a format with so many digits behind the point."""
    return lambda value: f"{value:,.{digits}f}"


def times(value: float | None) -> str:
    """Formats a factor: 12.3x."""
    return f"{short(value)}x" if value is not None else ""
