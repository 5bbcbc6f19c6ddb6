"""Counts of a pool's bars that an inspector signed, verified offline (Decision D106)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .forms import ATTESTATION_KEYS, COUNT, canonical, load_exact, read_form
from .open_signed import Refused, open_signed


@dataclass(frozen=True)
class VerifiedCount:
    """What a signature under a count says, and what of it does not hold."""

    #: The count as JSON, its time a datetime. None if it cannot be read.
    count: dict[str, Any] | None
    #: The key that signed it, with its `holder`. None unless a published key signed it.
    key: dict[str, Any] | None
    #: What does not hold, by the names in docs/vectors/count.json; empty when all is well.
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all that was checked holds."""
        return not self.faults


def verify_count(jws: str, keys: str, *, count: str | None = None) -> VerifiedCount:
    """Verifies that an inspector signed a count, which is that of the text `count`, if it is given.

    `keys` is the JSON of /.well-known/sabika-attestation-keys.json. Raises ValueError when it is
    something else.
    """
    published = read_form(ATTESTATION_KEYS, load_exact(keys))
    try:
        payload, key = open_signed(jws, "sabika-count", published)
    except Refused as refused:
        return VerifiedCount(None, None, (str(refused),))
    try:
        text = payload.decode()
        json = load_exact(text)
        read: dict[str, Any] = read_form(COUNT, json)
        if canonical({name: json[name] for name in COUNT}) != text:
            raise ValueError("not canonical")
    except ValueError:
        return VerifiedCount(None, key, ("malformed",))
    until = key["valid_until"]
    found = {
        "other_role": key["role"] != "inspector",
        "key_ended": until is not None and until <= read["counted_at"],
        "other_count": count is not None and count != text,
    }
    return VerifiedCount(read, key, tuple(fault for fault, is_found in found.items() if is_found))
