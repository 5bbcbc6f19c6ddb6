"""Exact decimal amounts: read from their text and written as plain text, never as floats.

Decisions D2 to D5: SAR have at most 2 decimals, grams and prices 4, rates 6; 15 significant digits;
no exponent, no -0. Amounts that are too precise are refused, never rounded.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

SAR_DECIMALS = 2
GRAM_DECIMALS = 4
PRICE_DECIMALS = 4
RATE_DECIMALS = 6

_SIGNIFICANT_DIGITS = 15
_NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?")


class AmountError(ValueError):
    """A text is not a valid amount; `code` says why: `wrong_form` or `too_precise`."""

    def __init__(self, code: Literal["wrong_form", "too_precise"]) -> None:
        super().__init__(code)
        self.code = code


def parse_amount(text: str, decimals: int) -> Decimal:
    """Reads the text of a JSON number with at most `decimals` decimals, including trailing zeros.

    Raises AmountError.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise AmountError("wrong_form")
    sign, whole, fraction = match[1], match[2], match[3] or ""
    if len(fraction) > decimals:
        raise AmountError("too_precise")
    digits = (whole + fraction).lstrip("0")
    if digits == "" and sign:
        raise AmountError("wrong_form")
    if len(digits) > _SIGNIFICANT_DIGITS:
        raise AmountError("too_precise")
    return Decimal(text)


def format_amount(value: Decimal, decimals: int) -> str:
    """Writes an amount as the text of a JSON number, without trailing zeros.

    Raises AmountError when it has more than `decimals` decimals or 15 significant digits, TypeError
    for a value that is not a Decimal.
    """
    if not isinstance(value, Decimal):
        raise TypeError(f'pass a Decimal, such as Decimal("1.5"), not {type(value).__name__}')
    if not value.is_finite():
        raise AmountError("wrong_form")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        text = "0"
    parse_amount(text, decimals)
    return text
