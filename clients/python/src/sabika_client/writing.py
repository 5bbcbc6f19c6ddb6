"""Writing the JSON and the times of requests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Union

#: A time: RFC 3339 text in UTC, or a datetime with its time zone.
When = Union[str, datetime]


def json_object(**members: str | None) -> str:
    """Writes an object of members that are JSON already; those that are None are left out."""
    written = (f'"{name}":{json}' for name, json in members.items() if json is not None)
    return "{" + ",".join(written) + "}"


def json_array(items: Iterable[str]) -> str:
    """Writes an array of items that are JSON already."""
    return f"[{','.join(items)}]"


def format_time(when: When) -> str:
    """Writes a time in UTC to the millisecond. Raises ValueError for a datetime without time zone."""
    if isinstance(when, str):
        return when
    if when.tzinfo is None:
        raise ValueError("a time needs its time zone")
    text = when.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
