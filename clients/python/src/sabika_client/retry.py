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
    return max(jittered(policy, attempt), retry_after)


def jittered(policy: Retry, failures: int) -> float:
    """Returns the pause after so many failures in a row, in seconds."""
    full = min(policy.longest_delay_seconds, policy.first_delay_seconds)
    for _ in range(1, failures):
        full = min(policy.longest_delay_seconds, full * 2)
    return full / 2 + full / 2 * random.random()
