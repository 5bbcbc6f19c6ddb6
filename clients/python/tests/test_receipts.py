from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any

import pytest
from vector_files import name_of, vectors

from sabika_client import canonical_string, verify_receipt

FILE = vectors("receipt.json")
GOOD = FILE["receipts"][0]
KEYS = json.dumps(FILE["keys"]["published"])


def signed(name: str) -> str:
    request = FILE["requests"][name]
    body, timestamp = request["body"].encode(), str(request["timestamp"])
    return canonical_string("POST", request["url"], body, timestamp, request["nonce"])


@pytest.mark.parametrize("vector", FILE["receipts"], ids=name_of)
def test_a_receipt_is_judged_as_in_its_vector(vector: Any) -> None:
    bars, order, request = vector["bars"], vector["order"], vector["request"]
    verified = verify_receipt(
        vector["jws"],
        json.dumps(FILE["keys"][vector["keys"]]),
        bars=FILE["bars"][bars]["text"].encode() if bars else None,
        order=json.dumps(FILE["orders"][order]) if order else None,
        signed=signed(request) if request else None,
    )
    assert (list(verified.holds), list(verified.faults)) == (vector["holds"], vector["faults"])
    assert verified.ok is (vector["faults"] == [])


def test_the_hashes_of_bars_and_requests_are_those_of_the_vectors() -> None:
    for bars in FILE["bars"].values():
        assert hashlib.sha256(bars["text"].encode()).hexdigest() == bars["sha256"]
    for name, request in FILE["requests"].items():
        assert hashlib.sha256(signed(name).encode()).hexdigest() == request["sha256"]


def test_a_receipt_has_exact_values() -> None:
    receipt = verify_receipt(GOOD["jws"], KEYS).receipt
    assert receipt is not None
    assert receipt["gold_ug"] == 1_500_000
    assert receipt["parts"]["total"] == Decimal("735.27")
    assert receipt["executed_at"].isoformat() == "2026-11-20T09:30:00.123000+00:00"


def test_keys_or_an_order_of_another_form_are_a_mistake_of_the_caller() -> None:
    for keys in ("", "{}", '{"keys": [{}]}', '{"keys": [], "keys": []}'):
        with pytest.raises(ValueError):
            verify_receipt(GOOD["jws"], keys)
    with pytest.raises(ValueError):
        verify_receipt(GOOD["jws"], KEYS, order="{}")
