"""What the service answers with. Amounts are Decimal, times are the RFC 3339 text of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any


class _Reader:
    """Reads members of an answer; a missing or wrong one raises ValueError."""

    def __init__(self, json: Any) -> None:
        if not isinstance(json, dict):
            raise ValueError("the answer is not a JSON object")
        self._json = json

    def text(self, name: str) -> str:
        value = self._json.get(name)
        if not isinstance(value, str):
            raise ValueError(f"{name} is not a string")
        return value

    def text_or_none(self, name: str) -> str | None:
        return None if self._json.get(name) is None else self.text(name)

    def number(self, name: str) -> Decimal:
        value = self._json.get(name)
        # bool is an int to Python.
        if not isinstance(value, (int, Decimal)) or isinstance(value, bool):
            raise ValueError(f"{name} is not a number")
        return Decimal(value)


@dataclass(frozen=True)
class Health:
    status: str
    environment: str

    @classmethod
    def read(cls, json: Any) -> Health:
        reader = _Reader(json)
        return cls(reader.text("status"), reader.text("environment"))


@dataclass(frozen=True)
class Price:
    """The indicative price of a gram of 24K gold in SAR."""

    buy_price_sar: Decimal
    sell_price_sar: Decimal
    mid_price_sar: Decimal
    as_of: str

    @classmethod
    def read(cls, json: Any) -> Price:
        reader = _Reader(json)
        return cls(
            reader.number("buy_price_sar"),
            reader.number("sell_price_sar"),
            reader.number("mid_price_sar"),
            reader.text("as_of"),
        )


@dataclass(frozen=True)
class Balances:
    sar: Decimal
    gold_grams: Decimal

    @classmethod
    def read(cls, json: Any) -> Balances:
        reader = _Reader(json)
        return cls(reader.number("sar"), reader.number("gold_grams"))


@dataclass(frozen=True)
class Funding:
    id: str
    status: str
    amount_sar: Decimal
    balance_sar: Decimal

    @classmethod
    def read(cls, json: Any) -> Funding:
        reader = _Reader(json)
        return cls(
            reader.text("id"),
            reader.text("status"),
            reader.number("amount_sar"),
            reader.number("balance_sar"),
        )


@dataclass(frozen=True)
class Quote:
    """Firm for 60 seconds: an order that arrives before `expires_at` has exactly `total_sar`."""

    id: str
    status: str
    side: str
    gold_grams: Decimal
    price_per_gram_sar: Decimal
    fee_sar: Decimal
    vat_sar: Decimal
    total_sar: Decimal
    expires_at: str
    order_id: str | None
    requested_amount_sar: Decimal | None = None
    """The amount of money it was requested for; None when it was requested by gold."""

    @classmethod
    def read(cls, json: Any) -> Quote:
        reader = _Reader(json)
        requested = json.get("requested")
        return cls(
            id=reader.text("id"),
            status=reader.text("status"),
            side=reader.text("side"),
            gold_grams=reader.number("gold_grams"),
            price_per_gram_sar=reader.number("price_per_gram_sar"),
            fee_sar=reader.number("fee_sar"),
            vat_sar=reader.number("vat_sar"),
            total_sar=reader.number("total_sar"),
            expires_at=reader.text("expires_at"),
            order_id=reader.text_or_none("order_id"),
            requested_amount_sar=requested and _Reader(requested).number("amount_sar"),
        )


@dataclass(frozen=True)
class Order:
    id: str
    quote_id: str
    status: str
    side: str
    gold_grams: Decimal
    price_per_gram_sar: Decimal
    fee_sar: Decimal
    vat_sar: Decimal
    total_sar: Decimal
    client_reference: str | None
    executed_at: str
    #: Right after this order; in the answer to the order and its repeat alone.
    balances: Balances | None

    @classmethod
    def read(cls, json: Any) -> Order:
        reader = _Reader(json)
        balances = json.get("balances")
        return cls(
            id=reader.text("id"),
            quote_id=reader.text("quote_id"),
            status=reader.text("status"),
            side=reader.text("side"),
            gold_grams=reader.number("gold_grams"),
            price_per_gram_sar=reader.number("price_per_gram_sar"),
            fee_sar=reader.number("fee_sar"),
            vat_sar=reader.number("vat_sar"),
            total_sar=reader.number("total_sar"),
            client_reference=reader.text_or_none("client_reference"),
            executed_at=reader.text("executed_at"),
            balances=None if balances is None else Balances.read(balances),
        )


@dataclass(frozen=True)
class Withdrawal:
    id: str
    status: str
    amount_sar: Decimal
    client_reference: str | None

    @classmethod
    def read(cls, json: Any) -> Withdrawal:
        reader = _Reader(json)
        return cls(
            reader.text("id"),
            reader.text("status"),
            reader.number("amount_sar"),
            reader.text_or_none("client_reference"),
        )


@dataclass(frozen=True)
class Probe:
    """The service has verified a signature and done nothing."""

    verified: bool
    key_id: str
    canonical_sha256: str

    @classmethod
    def read(cls, json: Any) -> Probe:
        reader = _Reader(json)
        return cls(json["verified"] is True, reader.text("key_id"), reader.text("canonical_sha256"))
