"""When a call is repeated, and after which pause."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .errors import SabikaError


@dataclass(frozen=True)
class Retry:
    """How often and how patiently a call is repeated."""

    #: Attempts in all, the first one included.
    attempts: int = 6
    first_delay_seconds: float = 0.2
    #: No pause is longer, and an answer that asks for a longer one is not waited for.
    longest_delay_seconds: float = 5.0


def pause_before_next(policy: Retry, attempt: int, error: SabikaError) -> float | None:
    """Seconds: doubling, with half of it by chance; never under Retry-After. None: give up."""
    # A clock that was corrected and is refused again will not come right by itself.
    hopeless = not error.retryable or error.code == "timestamp_out_of_window"
    asked = error.retry_after or 0.0
    if hopeless or attempt >= policy.attempts or asked > policy.longest_delay_seconds:
        return None
    doubled = policy.first_delay_seconds * 2.0 ** (attempt - 1)
    full = min(policy.longest_delay_seconds, doubled)
    return max(full / 2 + full / 2 * random.random(), asked)
