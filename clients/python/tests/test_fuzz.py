"""Mutations of good receipts, reserves, counts and versions: none is accepted, none is a surprise.

FUZZ_CASES and FUZZ_SEED say how many and which; `npm run clients -- python` hands them on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from random import Random

import pytest
from vector_files import vectors

from sabika_client import verify_count, verify_receipt, verify_reserve, verify_versions

CASES = int(os.environ.get("FUZZ_CASES", "300"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
WORDS = [
    *(b'"', b"{", b"}", b"[", b",", b":", b"0", b"1e1", b"-", b".", b"=", b"null", b'"a":1,'),
    *(b"\\u0030", b"\\ud800", b"\xff", b"\xed\xa0\x80", b"\n", b"[" * 2000, "٠".encode()),
]

RECEIPTS, RESERVES = vectors("receipt.json"), vectors("reserve.json")
COUNTS, VERSIONS = vectors("count.json"), vectors("versions.json")
RECEIPT: str = RECEIPTS["receipts"][0]["jws"]
BARS: str = RECEIPTS["bars"]["version"]["text"]
ORDER = json.dumps(RECEIPTS["orders"]["answered"])
KEYS = json.dumps(RECEIPTS["keys"]["published"])
COUNT: str = COUNTS["counts"][0]["jws"]
INSPECTORS = json.dumps(COUNTS["keys"]["published"])
RESERVE: str = RESERVES["texts"]["reserve"]
MINE: str = RESERVES["openings"]["mine"]
ATTESTED = next(vector for vector in RESERVES["reserves"] if vector["name"] == "attested")
AUDITORS = json.dumps(RESERVES["attestation_keys"]["published"])
FIRST, SECOND = (VERSIONS["texts"][name].encode() for name in ("first", "second"))


def reserve(**change: str) -> bool:
    kept = {
        "text": RESERVE,
        "hash": ATTESTED["hash"],
        "signature": ATTESTED["signature"],
        "keys": json.dumps(RESERVES["keys"]["published"]),
        "attestation": ATTESTED["attestation"],
        "attestation_keys": AUDITORS,
        "mine": MINE,
        **change,
    }
    return verify_reserve(**kept).ok


# What a mutation may stand for: what accepts it, and whether another text may be accepted.
TARGETS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "receipt": (RECEIPT, lambda text: verify_receipt(text, KEYS, order=ORDER).ok),
    "bars": (BARS, lambda text: verify_receipt(RECEIPT, KEYS, bars=as_bytes(text)).ok),
    "count": (COUNT, lambda text: verify_count(text, INSPECTORS).ok),
    "reserve": (RESERVE, lambda text: reserve(text=text)),
    "signature": (ATTESTED["signature"], lambda text: reserve(signature=text)),
    "attestation": (ATTESTED["attestation"], lambda text: reserve(attestation=text)),
    "version": (FIRST.decode(), lambda text: verify_versions([as_bytes(text), SECOND]).ok),
}
# Of these another text may say the same; they only must not surprise.
READ: dict[str, tuple[str, Callable[[str], bool]]] = {
    "mine": (MINE, lambda text: reserve(mine=text)),
    "order": (ORDER, lambda text: verify_receipt(RECEIPT, KEYS, order=text).ok),
    "keys": (KEYS, lambda text: verify_receipt(RECEIPT, text).ok),
    "inspectors": (INSPECTORS, lambda text: verify_count(COUNT, text).ok),
    "any reserve": (RESERVE, lambda text: verify_reserve(text).ok),
    "any version": (SECOND.decode(), lambda text: verify_versions([as_bytes(text)]).ok),
}


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def mutate(text: str, random: Random) -> str:
    """Changes one to six places; what is no UTF-8 afterwards is half characters."""
    data = as_bytes(text)
    for _ in range(random.randint(1, 6)):
        at = random.randint(0, len(data))
        end = min(len(data), at + random.randint(0, 16))
        piece = random.choice(
            (b"", random.choice(WORDS), data[at:end] * 2, bytes([random.randrange(256)]))
        )
        data = data[:at] + piece + data[end:]
    return data.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("name", TARGETS)
def test_no_mutation_of_what_is_signed_or_hashed_is_accepted(name: str) -> None:
    good, accepts = TARGETS[name]
    assert accepts(good)
    random = Random(f"{SEED} {name}")
    for _ in range(CASES):
        text = mutate(good, random)
        assert text == good or not accepts(text), text


@pytest.mark.parametrize("name", READ)
def test_a_mutation_of_what_is_kept_is_read_or_is_a_value_error(name: str) -> None:
    good, accepts = READ[name]
    assert accepts(good)
    random = Random(f"{SEED} {name}")
    for _ in range(CASES):
        try:
            accepts(mutate(good, random))
        except ValueError:
            pass
