"""The forms of what is signed and kept: receipts, versions of pools, reserves, counts, keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from .amounts import GRAM_DECIMALS, PRICE_DECIMALS, SAR_DECIMALS, parse_amount

_DIGITS = re.compile(r"0|[1-9][0-9]{0,18}")
_COUNTING = re.compile(r"[1-9][0-9]{0,14}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FINENESS = re.compile(r"1000|[1-9][0-9]{0,2}(?:\.[1-9])?|0\.[1-9]")
_ORDER_ID = re.compile(r"ord_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Some readers of times would accept hour 24 or second 60.
_CLOCK = "[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_TIME = re.compile(_CLOCK + r"(?:\.[0-9]{3})?Z")
_TIME_AS_WRITTEN = re.compile(_CLOCK + r"\.[0-9]{3}Z")

_LEVELS_MAX = 32


class _Number(str):
    """The text of a JSON number."""


def load_exact(text: str) -> Any:
    """Reads JSON whose numbers keep their text.

    Raises ValueError, also for a member twice, for half a character and for too many levels.
    """

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a member came before")
        return dict(pairs)

    def constant(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        value = json.loads(
            text,
            object_pairs_hook=members,
            parse_float=_Number,
            parse_int=_Number,
            parse_constant=constant,
        )
        canonical(value).encode()
    except RecursionError:
        raise ValueError("too many levels") from None
    return value


def canonical(value: Any, levels: int = _LEVELS_MAX) -> str:
    """Writes what load_exact read as canonical JSON (RFC 8785), its numbers as they were."""
    if isinstance(value, (dict, list)) and levels == 0:
        raise ValueError("too many levels")
    if isinstance(value, dict):
        members = (f"{canonical(k)}:{canonical(value[k], levels - 1)}" for k in sorted(value))
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(canonical(item, levels - 1) for item in value)}]"
    return value if isinstance(value, _Number) else json.dumps(value, ensure_ascii=False)


# A form is a function that reads a value, a list with the form of its items, or a dict with those
# of its members, of which those with a question mark may be absent.
Form = Any


def read_form(form: Form, value: Any) -> Any:
    """Reads a value by its form. Raises ValueError if it is of another form."""
    if isinstance(form, dict):
        if not isinstance(value, dict):
            raise ValueError("not an object")
        names = {name.rstrip("?"): name for name in form}
        if any(name not in value and not full.endswith("?") for name, full in names.items()):
            raise ValueError("a member is missing")
        return {name: read_form(form[names[name]], value[name]) for name in names if name in value}
    if isinstance(form, list):
        if not isinstance(value, list):
            raise ValueError("not an array")
        return [read_form(form[0], item) for item in value]
    return form(value)


def _matching(pattern: re.Pattern[str], convert: Callable[[str], Any] = str) -> Form:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or isinstance(value, _Number):
            raise ValueError("not a string")
        if not pattern.fullmatch(value):
            raise ValueError("of another form")
        return convert(value)

    return read


def _amount(decimals: int) -> Form:
    def read(value: Any) -> Decimal:
        if not isinstance(value, _Number):
            raise ValueError("not a number")
        return parse_amount(value, decimals)

    return read


def _null_or(form: Form) -> Form:
    return lambda value: None if value is None else read_form(form, value)


def _counting(value: Any) -> int:
    if not isinstance(value, _Number) or not _COUNTING.fullmatch(value):
        raise ValueError("not such a number")
    return int(value)


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("not a boolean")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _share(value: Any) -> list[int]:
    share: list[int] = read_form([_MICROGRAMS], value)
    if len(share) != 2:
        raise ValueError("not a pair")
    return share


def _ten_thousandths(text: str) -> int:
    return int(Decimal(text) * 10)


_TEXT = _matching(re.compile(r"(?s:.*)"))
_HASH = _matching(_SHA256)
_MICROGRAMS = _matching(_DIGITS, int)
_WHEN = _matching(_TIME, _time)
_SIDE = _matching(re.compile("buy|sell"))
_SAR, _PRICE = _amount(SAR_DECIMALS), _amount(PRICE_DECIMALS)
_BALANCES = {"sar": _SAR, "gold_grams": _amount(GRAM_DECIMALS)}
_KEY = {
    "kid": _TEXT,
    "x": _TEXT,
    "y": _TEXT,
    "valid_from": _WHEN,
    "valid_until": _null_or(_WHEN),
}
KEYS = {"keys": [_KEY]}
_ROLE = _matching(re.compile("inspector|auditor"))
ATTESTATION_KEYS = {"keys": [{**_KEY, "role": _ROLE, "holder": _TEXT}]}
_COUNTED = _null_or({"version": _counting, "at": _WHEN, "by": _TEXT})
RECEIPT = {
    "order_id": _matching(_ORDER_ID),
    "partner": _TEXT,
    "executed_at": _WHEN,
    "side": _SIDE,
    "gold_ug": _MICROGRAMS,
    "price": {
        "mid": _null_or(_PRICE),
        "per_gram": _PRICE,
        "unit": _matching(re.compile("SAR/g")),
        "source": _TEXT,
        "as_of": _null_or(_WHEN),
        "number": _MICROGRAMS,
    },
    "parts": {"value": _SAR, "fee": _SAR, "gold_vat": _SAR, "fee_vat": _SAR, "total": _SAR},
    "balances_after": _BALANCES,
    "pool": {"id": _TEXT, "version": _counting, "hash": _HASH, "fine_ug": _MICROGRAMS},
    "share": _share,
    "count": _COUNTED,
    "request_sha256": _HASH,
}
ORDER = {
    "id": _TEXT,
    "executed_at": _WHEN,
    "side": _SIDE,
    "gold_grams": _amount(GRAM_DECIMALS),
    "price_per_gram_sar": _PRICE,
    "mid_price_sar?": _PRICE,
    "price_source?": _TEXT,
    "price_as_of?": _WHEN,
    "fee_sar": _SAR,
    "gold_vat_sar?": _SAR,
    "fee_vat_sar?": _SAR,
    "vat_sar": _SAR,
    "total_sar": _SAR,
    "balances?": _BALANCES,
}
VERSION = {
    "bars": [
        {
            "documents": [_HASH],
            "fine_ug": _MICROGRAMS,
            "fineness": _matching(_FINENESS, _ten_thousandths),
            "gross_ug": _MICROGRAMS,
            "place": _null_or(_TEXT),
            "refiner": _TEXT,
            "serial": _TEXT,
            "vault": _null_or(_TEXT),
        }
    ],
    "kind": _matching(re.compile("add|remove|replace")),
    "number": _counting,
    "pool": _TEXT,
    "previous": _null_or(_HASH),
}
RESERVE = {
    "cash": {"bank": _null_or(_SAR), "in_transit": _SAR, "obligations": _SAR},
    "commitments": [_HASH],
    "day": _TEXT,
    "pools": [
        {
            "count": _COUNTED,
            "fine_ug": _MICROGRAMS,
            "id": _TEXT,
            "obligations_ug": _MICROGRAMS,
            "version": _null_or(_counting),
        }
    ],
    "previous": _null_or(_HASH),
}
ATTESTATION = {"day": _TEXT, "hash": _HASH}
PUBLISHED_RESERVE = {
    "hash": _HASH,
    "signature": _null_or(_TEXT),
    "attested": _boolean,
    "attestation": _null_or(_TEXT),
}
OPENING = {
    "cash": _SAR,
    "day": _TEXT,
    "gold_ug": _MICROGRAMS,
    "partner": _TEXT,
    "pool": _TEXT,
    "salt": _HASH,
}
COUNT = {
    "counted_at": _matching(_TIME_AS_WRITTEN, _time),
    "different": [_TEXT],
    "found": [_TEXT],
    "missing": [_TEXT],
    "place": _null_or(_TEXT),
    "pool": _TEXT,
    "version": _null_or(_counting),
}
