from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from vector_files import name_of, vectors

from sabika_client import verify_count, verify_reserve

RESERVES = vectors("reserve.json")
COUNTS = vectors("count.json")


def reserve_of(vector: Any) -> dict[str, Any]:
    openings = vector["openings"]
    return {
        "hash": vector["hash"],
        "signature": vector["signature"],
        "keys": json.dumps(RESERVES["keys"][vector["keys"]]) if vector["keys"] else None,
        "attestation": vector["attestation"],
        "attestation_keys": json.dumps(RESERVES["attestation_keys"][vector["attestation_keys"]])
        if vector["attestation_keys"]
        else None,
        "previous": RESERVES["texts"].get(vector["previous"]),
        "mine": RESERVES["openings"].get(vector["mine"]),
        "openings": None
        if openings is None
        else "".join(RESERVES["openings"][name] + "\n" for name in openings),
    }


@pytest.mark.parametrize("vector", RESERVES["reserves"], ids=name_of)
def test_a_reserve_is_judged_as_in_its_vector(vector: Any) -> None:
    verified = verify_reserve(RESERVES["texts"][vector["text"]], **reserve_of(vector))
    assert list(verified.faults) == vector["faults"]
    assert verified.ok is (vector["faults"] == [])
    assert (verified.reserve is None) is ("malformed" in vector["faults"])


def test_a_reserve_has_exact_values() -> None:
    reserve = verify_reserve(RESERVES["texts"]["reserve"]).reserve
    assert reserve is not None
    assert reserve["cash"]["obligations"] == Decimal("1234.75")
    assert reserve["pools"][0]["fine_ug"] == 14_626_545_860


def test_keys_or_openings_of_another_form_are_a_mistake_of_the_caller() -> None:
    text, mine = RESERVES["texts"]["reserve"], RESERVES["openings"]["mine"]
    for wrong in ({"keys": "{}"}, {"attestation_keys": "{}"}, {"mine": "{}"}, {"openings": mine + "\n{}"}):
        with pytest.raises(ValueError):
            verify_reserve(text, **wrong)
    with pytest.raises(ValueError):
        verify_count(COUNTS["counts"][0]["jws"], json.dumps(RESERVES["keys"]["published"]))


@pytest.mark.parametrize("vector", COUNTS["counts"], ids=name_of)
def test_a_count_is_judged_as_in_its_vector(vector: Any) -> None:
    keys = json.dumps(COUNTS["keys"][vector["keys"]])
    verified = verify_count(vector["jws"], keys, count=vector["count"])
    assert list(verified.faults) == vector["faults"]
    assert verified.ok is (vector["faults"] == [])


def test_a_count_says_what_was_missing_and_whose_key_signed_it() -> None:
    verified = verify_count(COUNTS["counts"][0]["jws"], json.dumps(COUNTS["keys"]["published"]))
    assert verified.count is not None and verified.key is not None
    assert (verified.count["missing"], verified.key["holder"]) == (["B-2"], "Gulf Inspection")
