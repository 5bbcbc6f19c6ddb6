"""The resources in answers. Amounts are Decimal, times are RFC 3339 text."""

from __future__ import annotations

from dataclasses import Field, dataclass, fields
from decimal import Decimal
from typing import Any, TypeVar

_R = TypeVar("_R", bound="_Resource")


@dataclass(frozen=True)
class _Resource:
    """Reads each field from the member of its name; a missing or wrong one raises ValueError."""

    @classmethod
    def read(cls: type[_R], json: Any) -> _R:
        members = _members(json)
        values = {field.name: _value(field, members.get(field.name)) for field in fields(cls)}
        return cls(**values)


def _members(json: Any) -> dict[str, Any]:
    if not isinstance(json, dict):
        raise ValueError("the answer is not a JSON object")
    return json


def _value(field: Field[Any], value: Any) -> Any:
    # Annotations are strings because of the __future__ import.
    kind, _, optional = str(field.type).partition(" | ")
    if value is None and optional:
        return None
    if kind == "Balances":
        return Balances.read(value)
    if kind == "LastCount":
        return LastCount.read(value)
    if kind == "CountInspection":
        return CountInspection.read(value)
    # In Python bool is a subclass of int.
    if kind == "Decimal" and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return Decimal(value)
    if kind == "int" and isinstance(value, bool):
        raise ValueError(f"{field.name} is not an {kind}")
    if not isinstance(value, {"str": str, "bool": bool, "int": int}.get(kind, ())):
        raise ValueError(f"{field.name} is not a {kind}")
    return value


@dataclass(frozen=True)
class Health(_Resource):
    """The state of the service; `environment` is None while it is unavailable."""

    status: str
    environment: str | None


@dataclass(frozen=True)
class Price(_Resource):
    """The indicative price of a gram of 24K gold in SAR."""

    buy_price_sar: Decimal
    sell_price_sar: Decimal
    mid_price_sar: Decimal
    as_of: str


@dataclass(frozen=True)
class PriceSpan(_Resource):
    """The mid prices of a span; `open_sar` is None if it is not known."""

    start: str
    open_sar: Decimal | None
    high_sar: Decimal
    low_sar: Decimal
    close_sar: Decimal
    count: Decimal


@dataclass(frozen=True)
class PriceHistory:
    """The course of the mid price, oldest first, without spans in which there was no price."""

    interval: str
    spans: tuple[PriceSpan, ...]

    @classmethod
    def read(cls, json: Any) -> PriceHistory:
        members = _members(json)
        spans = members.get("spans")
        if not isinstance(spans, list) or not isinstance(members.get("interval"), str):
            raise ValueError("the answer is not a price history")
        return cls(members["interval"], tuple(PriceSpan.read(span) for span in spans))


@dataclass(frozen=True)
class Balances(_Resource):
    """A partner's money and gold."""

    sar: Decimal
    gold_grams: Decimal


@dataclass(frozen=True)
class Funding(_Resource):
    """Money received into the partner's account."""

    id: str
    status: str
    amount_sar: Decimal
    balance_sar: Decimal


@dataclass(frozen=True)
class _Requested(_Resource):
    amount_sar: Decimal


@dataclass(frozen=True)
class Quote(_Resource):
    """A price, firm for 60 s: an order that arrives before `expires_at` has exactly `total_sar`."""

    id: str
    status: str
    side: str
    gold_grams: Decimal
    price_per_gram_sar: Decimal
    fee_sar: Decimal
    vat_sar: Decimal
    gold_vat_sar: Decimal | None
    """The VAT on the gold, in `vat_sar`; None if it is not known, as the next two."""
    fee_vat_sar: Decimal | None
    price_source: str | None
    total_sar: Decimal
    expires_at: str
    order_id: str | None
    requested_amount_sar: Decimal | None = None
    """The amount for which the quote was requested; None if it was requested by gold."""

    @classmethod
    def read(cls, json: Any) -> Quote:
        members = _members(json)
        requested = members.get("requested")
        amount = None if requested is None else _Requested.read(requested).amount_sar
        return super().read({**members, "requested_amount_sar": amount})


@dataclass(frozen=True)
class Order(_Resource):
    """An executed order."""

    id: str
    quote_id: str
    status: str
    side: str
    gold_grams: Decimal
    price_per_gram_sar: Decimal
    fee_sar: Decimal
    vat_sar: Decimal
    gold_vat_sar: Decimal | None
    """The VAT on the gold, in `vat_sar`; None if it is not known, as the next two."""
    fee_vat_sar: Decimal | None
    price_source: str | None
    total_sar: Decimal
    client_reference: str | None
    executed_at: str
    #: The balances after this order; only in the answer to the order and its repeat.
    balances: Balances | None


@dataclass(frozen=True)
class Withdrawal(_Resource):
    """A payment to the settlement IBAN."""

    id: str
    status: str
    amount_sar: Decimal
    client_reference: str | None


@dataclass(frozen=True)
class CountInspection(_Resource):
    """Whose key signed a count, the key's id, and the signature, for verify_count."""

    by: str
    key: str
    signature: str


@dataclass(frozen=True)
class LastCount(_Resource):
    """A count of all bars; `agrees` says whether they were there as recorded, and no others."""

    counted_at: str
    age_seconds: int
    agrees: bool
    sha256: str | None
    """That of the count's canonical JSON; None where several pools were counted together."""
    inspected: CountInspection | None


@dataclass(frozen=True)
class Vault(_Resource):
    """The pool of bars that the partner's gold is a share of; `fine_ug` are its fine micrograms."""

    pool: str
    version: int
    hash: str
    made_at: str
    fine_ug: int
    bars: int
    last_count: LastCount | None

    @classmethod
    def read(cls, json: Any) -> Vault:
        members = _members(json)
        return super().read({**members, "fine_ug": int(members["fine_ug"])})


@dataclass(frozen=True)
class Probe(_Resource):
    """The result of a signature test, which has no other effect."""

    verified: bool
    key_id: str
    canonical_sha256: str
