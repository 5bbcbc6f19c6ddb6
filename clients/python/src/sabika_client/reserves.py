"""Reserves: what is owed at the end of a day and what is there, verified offline (Decision D105)."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from .forms import (
    ATTESTATION,
    ATTESTATION_KEYS,
    KEYS,
    OPENING,
    PUBLISHED_RESERVE,
    RESERVE,
    canonical,
    load_exact,
    read_form,
)
from .open_signed import Refused, open_signed

_FAULTS = (
    "malformed",
    "other_hash",
    "wrong_signature",
    "attestation_malformed",
    "attestation_wrong_algorithm",
    "attestation_unknown_key",
    "attestation_altered",
    "attestation_other_role",
    "attestation_key_ended",
    "attestation_other_reserve",
    "other_previous",
    "other_day",
    "not_committed",
    "opening_negative",
    "openings_missing",
    "cash_differs",
    "gold_differs",
    "gold_not_covered",
)


@dataclass(frozen=True)
class PublishedReserve:
    """A reserve as it is published; `read` also reads an answer that was kept as a file."""

    #: The canonical JSON, whose SHA-256 is the hash.
    text: str
    hash: str
    #: The operator's signature; None until it has signed.
    signature: str | None
    #: Whether an auditor that has seen all openings has signed it, and its signature.
    attested: bool
    attestation: str | None

    @classmethod
    def read(cls, json: str) -> PublishedReserve:
        """Reads the JSON of /v1/reserves/{day}. Raises ValueError if it is something else."""
        members = load_exact(json)
        read: dict[str, Any] = read_form(PUBLISHED_RESERVE, members)
        return cls(text=canonical(members["reserve"]), **read)


@dataclass(frozen=True)
class VerifiedReserve:
    """What does not hold of a reserve, by the names in docs/vectors/reserve.json."""

    #: The reserve as JSON; micrograms are int, other numbers Decimal, times datetime. None if it
    #: is malformed.
    reserve: dict[str, Any] | None
    #: What does not hold; empty when all is well.
    faults: tuple[str, ...]
    #: The key that signed the attestation, with its `holder`. None unless a published key did.
    attested_by: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether all that was checked holds."""
        return not self.faults


def verify_reserve(
    text: str,
    *,
    hash: str | None = None,
    signature: str | None = None,
    keys: str | None = None,
    attestation: str | None = None,
    attestation_keys: str | None = None,
    previous: str | None = None,
    mine: str | None = None,
    openings: str | None = None,
) -> VerifiedReserve:
    """Verifies that a reserve is the one that its reader knows, and has the reader's balances.

    `text`, `hash`, `signature` and `attestation` are those of a PublishedReserve, `keys` is the
    JSON of /.well-known/sabika-receipt-keys.json, `attestation_keys` that of
    /.well-known/sabika-attestation-keys.json, `previous` the text of the reserve of the day before,
    `mine` the JSON of /v1/reserves/{day}/mine, `openings` the file of an auditor, with one such
    JSON a line. What is not given is not checked, and a signature only with its keys. Raises
    ValueError when keys, `mine` or `openings` are something else.
    """
    auditors = None
    if attestation_keys is not None:
        auditors = read_form(ATTESTATION_KEYS, load_exact(attestation_keys))
    published = None if keys is None else read_form(KEYS, load_exact(keys))
    own = None if mine is None else read_form(OPENING, load_exact(mine))
    everyone = None if openings is None else _read_openings(openings)
    try:
        reserve = _read_reserve(text)
    except ValueError:
        return VerifiedReserve(None, ("malformed",))
    own_hash = hashlib.sha256(text.encode()).hexdigest()
    found: set[str] = set()
    if hash is not None and hash != own_hash:
        found.add("other_hash")
    if signature is not None and published is not None:
        signed = canonical({"day": reserve["day"], "hash": own_hash, "signer": "operator"})
        if not _is_signed(signed, signature, published):
            found.add("wrong_signature")
    attested_by = None
    if attestation is not None and auditors is not None:
        attested = {"day": reserve["day"], "hash": own_hash}
        attested_by = _judge_attestation(attested, attestation, auditors, found)
    if previous is not None:
        if reserve["previous"] != hashlib.sha256(previous.encode()).hexdigest():
            found.add("other_previous")
    found |= _judge_openings(reserve, own, everyone)
    if any(pool["obligations_ug"] > pool["fine_ug"] for pool in reserve["pools"]):
        found.add("gold_not_covered")
    faults = tuple(fault for fault in _FAULTS if fault in found)
    return VerifiedReserve(reserve, faults, attested_by)


def _read_openings(text: str) -> list[dict[str, Any]]:
    return [read_form(OPENING, load_exact(line)) for line in text.split("\n") if line]


def _read_reserve(text: str) -> dict[str, Any]:
    reserve: dict[str, Any] = read_form(RESERVE, load_exact(text))
    for names in (reserve["commitments"], [pool["id"] for pool in reserve["pools"]]):
        # Sorted, and none there twice.
        if any(a >= b for a, b in pairwise(names)):
            raise ValueError("not sorted")
    return reserve


def _is_signed(text: str, jws: str, keys: dict[str, Any]) -> bool:
    try:
        return open_signed(jws, "sabika-reserve", keys)[0] == text.encode()
    except Refused:
        return False


def _judge_attestation(
    attested: dict[str, str], jws: str, keys: dict[str, Any], found: set[str]
) -> dict[str, Any] | None:
    """Adds what does not hold of an attestation; returns the key that signed it."""
    try:
        payload, key = open_signed(jws, "sabika-attestation", keys)
    except Refused as refused:
        found.add(f"attestation_{refused}")
        return None
    if key["role"] != "auditor":
        found.add("attestation_other_role")
    until = key["valid_until"]
    if until is not None and until <= _end_of_day(attested["day"]):
        found.add("attestation_key_ended")
    if payload != canonical(attested).encode():
        other = _is_attestation(payload)
        found.add("attestation_other_reserve" if other else "attestation_malformed")
    return key


def _end_of_day(day: str) -> datetime:
    """Returns when a day ends in Riyadh, UTC+3."""
    try:
        return datetime.fromisoformat(f"{day}T21:00:00+00:00")
    except ValueError:
        return datetime.min.replace(tzinfo=timezone.utc)


def _is_attestation(payload: bytes) -> bool:
    try:
        text = payload.decode()
        json = load_exact(text)
        read_form(ATTESTATION, json)
        return canonical({name: json[name] for name in ATTESTATION}) == text
    except ValueError:
        return False


def _judge_openings(
    reserve: dict[str, Any], own: dict[str, Any] | None, everyone: list[dict[str, Any]] | None
) -> set[str]:
    found: set[str] = set()
    known = set(reserve["commitments"])
    opened = everyone if everyone is not None else [] if own is None else [own]
    commitments = set(map(_commit, opened))
    if any(opening["day"] != reserve["day"] for opening in opened):
        found.add("other_day")
    elif not commitments <= known:
        found.add("not_committed")
    if any(opening["cash"] < 0 for opening in opened):
        found.add("opening_negative")
    if own is not None and everyone is not None and _commit(own) not in known:
        found.add("not_committed")
    if everyone is not None:
        if not known <= commitments:
            found.add("openings_missing")
        found |= _judge_totals(reserve, everyone)
    return found


def _commit(opening: dict[str, Any]) -> str:
    halalas = int(opening["cash"] * 100)
    lines = f"{opening['partner']}\n{opening['day']}\n{halalas}\n{opening['gold_ug']}\n"
    return hashlib.sha256(bytes.fromhex(opening["salt"]) + lines.encode()).hexdigest()


def _judge_totals(reserve: dict[str, Any], openings: list[dict[str, Any]]) -> set[str]:
    found = set()
    if sum(opening["cash"] for opening in openings) != reserve["cash"]["obligations"]:
        found.add("cash_differs")
    owed: Counter[str] = Counter()
    for opening in openings:
        owed[opening["pool"]] += opening["gold_ug"]
    # Equal Counters may differ by pools that owe nothing.
    if owed != Counter({pool["id"]: pool["obligations_ug"] for pool in reserve["pools"]}):
        found.add("gold_differs")
    return found
