"""Which calls are repeated, and after which pause."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .errors import SabikaError


@dataclass(frozen=True)
class Retry:
    """Sets how often a call is repeated and how long the pauses are."""

    #: The number of attempts, including the first.
    attempts: int = 6
    #: The pause after the first failure, before jitter; further ones double.
    first_delay_seconds: float = 0.2
    #: The longest pause. If an answer asks for a longer one, the call fails at once.
    longest_delay_seconds: float = 5.0


def pause_before_next(policy: Retry, attempt: int, error: SabikaError) -> float | None:
    """Returns how long to pause, in seconds, or None when the call is not to be retried.

    The pause doubles, has equal jitter (half is random), and is never below Retry-After.
    """
    # The clock was corrected once already; another attempt would be refused too.
    is_final = not error.retryable or error.code == "timestamp_out_of_window"
    retry_after = error.retry_after or 0.0
    if is_final or attempt >= policy.attempts or retry_after > policy.longest_delay_seconds:
        return None
    doubled = policy.first_delay_seconds * 2.0 ** (attempt - 1)
    full = min(policy.longest_delay_seconds, doubled)
    return max(full / 2 + full / 2 * random.random(), retry_after)
