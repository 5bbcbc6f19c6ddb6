"""Versions of a pool of bars, which follow each other, verified offline (Decision D102)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .forms import VERSION, load_exact, read_form

_FAULTS = (
    "malformed",
    "other_pool",
    "number_missing",
    "other_previous",
    "other_hash",
    "other_change",
    "less_fine",
)


@dataclass(frozen=True)
class VerifiedVersions:
    """What does not hold of versions, by the names in docs/vectors/versions.json."""

    #: What does not hold; empty when all is well.
    faults: tuple[str, ...]
    #: The index of the first text that does not hold; None if all do.
    at: int | None

    @property
    def ok(self) -> bool:
        """Whether all holds."""
        return not self.faults


def verify_versions(
    texts: Sequence[bytes], *, hashes: Mapping[int, str] | None = None
) -> VerifiedVersions:
    """Verifies that versions follow each other and change what they say, by no less fine gold.

    `texts` are the versions as you have kept them, byte for byte, oldest first; the first may be
    any. `hashes` are those that you have kept by number, such as those of receipts.
    """
    versions: list[dict[str, Any]] = []
    for at, text in enumerate(texts):
        try:
            versions.append(read_version(text))
        except ValueError:
            return VerifiedVersions(("malformed",), at)
    found: set[str] = set()
    first: int | None = None
    for at, version in enumerate(versions):
        own_hash = hashlib.sha256(texts[at]).hexdigest()
        if (hashes or {}).get(version["number"], own_hash) != own_hash:
            found.add("other_hash")
        if at > 0 and version["previous"] != hashlib.sha256(texts[at - 1]).hexdigest():
            found.add("other_previous")
        found |= _judge_change(version, versions[at - 1] if at > 0 else None)
        if found and first is None:
            first = at
    return VerifiedVersions(tuple(fault for fault in _FAULTS if fault in found), first)


def read_version(text: bytes) -> dict[str, Any]:
    """Reads the text of a version. Raises ValueError if it is none."""
    version: dict[str, Any] = read_form(VERSION, load_exact(text.decode()))
    bars = version["bars"]
    names = [(bar["refiner"], bar["serial"]) for bar in bars]
    if (
        (version["number"] == 1) != (version["previous"] is None)
        or any(bar["fine_ug"] != bar["gross_ug"] * bar["fineness"] // 10_000 for bar in bars)
        or any(a >= b for a, b in pairwise(names))
    ):
        raise ValueError("not a version")
    return version


def fine_of(bars: list[dict[str, Any]]) -> int:
    """Returns the fine weight of bars in micrograms."""
    return sum(bar["fine_ug"] for bar in bars)


def _judge_change(version: dict[str, Any], before: dict[str, Any] | None) -> set[str]:
    bars, kind = version["bars"], version["kind"]
    if before is None:
        other = version["number"] == 1 and _change([], bars) != kind
        return {"other_change"} if other else set()
    found = set()
    if version["pool"] != before["pool"]:
        found.add("other_pool")
    if version["number"] != before["number"] + 1:
        found.add("number_missing")
    if found:
        return found
    change = _change(before["bars"], bars)
    if change != kind:
        found.add("other_change")
    if change == "replace" and fine_of(bars) < fine_of(before["bars"]):
        found.add("less_fine")
    return found


def _change(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str | None:
    """Returns what changed between two lists; None if nothing did."""
    old, new = ({repr(sorted(bar.items())) for bar in bars} for bars in (before, after))
    if old - new and new - old:
        return "replace"
    return "add" if new - old else "remove" if old - new else None
