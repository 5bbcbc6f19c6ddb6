"""Receipts: what is owned, in named bars, verified without a network (Decision D103)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .forms import KEYS, ORDER, RECEIPT, load_exact, read_form
from .open_signed import Refused, open_signed
from .versions import fine_of, read_version

_FAULTS = (
    "malformed",
    "wrong_algorithm",
    "unknown_key",
    "altered",
    "key_ended",
    "value_wrong",
    "parts_do_not_sum",
    "share_wrong",
    "other_order",
    "order_differs",
    "other_request",
    "bars_altered",
    "bars_malformed",
    "bars_do_not_fit",
)


@dataclass(frozen=True)
class VerifiedReceipt:
    """What holds of a receipt and what does not, each by its name in docs/vectors/receipt.json."""

    #: The receipt as JSON; micrograms are int, other numbers Decimal, times datetime. None unless
    #: a published key signed it.
    receipt: dict[str, Any] | None
    #: Of signature, value, parts, share, order, request, bars: what was checked and holds.
    holds: tuple[str, ...]
    #: What does not hold; empty when all is well.
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all that was checked holds."""
        return not self.faults


def verify_receipt(
    jws: str,
    keys: str,
    *,
    bars: bytes | None = None,
    order: str | None = None,
    signed: str | None = None,
) -> VerifiedReceipt:
    """Verifies that a published key signed a receipt, and that it fits what its holder has kept.

    `keys` is the JSON of /.well-known/sabika-receipt-keys.json, `bars` that of the pool's version,
    byte for byte, `order` the JSON of your order as it was answered, `signed` the string that you
    signed for it (`canonical_string`). What is not given is not checked. Raises ValueError when
    `keys` or `order` is something else.
    """
    published = read_form(KEYS, load_exact(keys))
    kept = None if order is None else read_form(ORDER, load_exact(order))
    try:
        receipt, ended = _open(jws, published)
    except Refused as refused:
        return VerifiedReceipt(None, (), (str(refused),))
    found: dict[str, str | None] = {
        "signature": "key_ended" if ended else None,
        "value": None if _value_is_right(receipt) else "value_wrong",
        "parts": None if _total_is_right(receipt) else "parts_do_not_sum",
        "share": None if _share_is_right(receipt) else "share_wrong",
    }
    if kept is not None:
        found["order"] = _judge_order(receipt, kept)
    if signed is not None:
        fits = hashlib.sha256(signed.encode()).hexdigest() == receipt["request_sha256"]
        found["request"] = None if fits else "other_request"
    if bars is not None:
        found["bars"] = _judge_bars(receipt["pool"], bars)
    holds = tuple(check for check, fault in found.items() if fault is None)
    return VerifiedReceipt(receipt, holds, tuple(f for f in _FAULTS if f in found.values()))


def _open(jws: str, keys: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    payload, key = open_signed(jws, "sabika-receipt", keys)
    try:
        receipt: dict[str, Any] = read_form(RECEIPT, load_exact(payload.decode()))
    except ValueError:
        raise Refused("malformed") from None
    until = key["valid_until"]
    return receipt, until is not None and receipt["executed_at"] > until


def _value_is_right(receipt: dict[str, Any]) -> bool:
    # 10^-6 g × 10^-4 SAR: a halala is 10^8 of them (Decision D6).
    exact = receipt["gold_ug"] * int(receipt["price"]["per_gram"] * 10_000)
    halalas = -(-exact // 10**8) if receipt["side"] == "buy" else exact // 10**8
    return bool(halalas == receipt["parts"]["value"] * 100)


def _total_is_right(receipt: dict[str, Any]) -> bool:
    parts = receipt["parts"]
    beside = parts["fee"] + parts["gold_vat"] + parts["fee_vat"]
    total = parts["value"] + (beside if receipt["side"] == "buy" else -beside)
    return bool(total == parts["total"])


def _share_is_right(receipt: dict[str, Any]) -> bool:
    partner, pool = receipt["share"]
    balance = receipt["balances_after"]["gold_grams"] * 10**6
    return bool(partner == balance and pool == receipt["pool"]["fine_ug"] and partner <= pool)


def _judge_order(receipt: dict[str, Any], order: dict[str, Any]) -> str | None:
    if receipt["order_id"] != order["id"]:
        return "other_order"
    price, parts = receipt["price"], receipt["parts"]
    ours = {
        "executed_at": receipt["executed_at"],
        "side": receipt["side"],
        "gold_grams": Decimal(receipt["gold_ug"]).scaleb(-6),
        "price_per_gram_sar": price["per_gram"],
        "mid_price_sar": price["mid"],
        "price_source": price["source"],
        "price_as_of": price["as_of"],
        "fee_sar": parts["fee"],
        "gold_vat_sar": parts["gold_vat"],
        "fee_vat_sar": parts["fee_vat"],
        "vat_sar": parts["gold_vat"] + parts["fee_vat"],
        "total_sar": parts["total"],
        "balances": receipt["balances_after"],
    }
    # Only the answer to the POST has balances, and other members are absent if not known.
    same = all(name not in order or order[name] == value for name, value in ours.items())
    return None if same else "order_differs"


def _judge_bars(pool: dict[str, Any], text: bytes) -> str | None:
    if hashlib.sha256(text).hexdigest() != pool["hash"]:
        return "bars_altered"
    try:
        version = read_version(text)
    except ValueError:
        return "bars_malformed"
    fits = (version["pool"], version["number"]) == (pool["id"], pool["version"])
    fits = fits and fine_of(version["bars"]) == pool["fine_ug"]
    return None if fits else "bars_do_not_fit"
