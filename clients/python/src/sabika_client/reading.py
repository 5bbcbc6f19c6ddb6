"""Reading the JSON of answers. Every reader raises ValueError for a value of another kind."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

T = TypeVar("T")


def members(json: Any) -> dict[str, Any]:
    if isinstance(json, dict):
        return json
    raise ValueError("not a JSON object")


def text(json: Any) -> str:
    if isinstance(json, str):
        return json
    raise ValueError("not a string")


def boolean(json: Any) -> bool:
    if isinstance(json, bool):
        return json
    raise ValueError("not a boolean")


def integer(json: Any) -> int:
    # In Python bool is a subclass of int.
    if isinstance(json, int) and not isinstance(json, bool):
        return json
    raise ValueError("not a whole number")


def digits(json: Any) -> int:
    """Reads a whole number that is written as a string, since not every reader of JSON holds it."""
    if text(json).isdecimal():
        return int(json)
    raise ValueError("not a string of digits")


def decimal(json: Any) -> Decimal:
    """Reads an exact number, for which JSON is read with parse_float=Decimal."""
    return json if isinstance(json, Decimal) else Decimal(integer(json))


def each(read: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """Makes the reader of a list."""

    def read_list(json: Any) -> tuple[T, ...]:
        if isinstance(json, list):
            return tuple(map(read, json))
        raise ValueError("not a list")

    return read_list


def inner(name: str, read: Callable[[Any], T]) -> Callable[[Any], T]:
    """Makes the reader of the only member of an object."""
    return lambda json: read(members(json)[name])


def maybe(read: Callable[[Any], T], json: Any) -> T | None:
    """Reads a member that may be null or absent."""
    return None if json is None else read(json)
