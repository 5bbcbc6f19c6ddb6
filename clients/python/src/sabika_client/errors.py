"""The error that calls raise, and reading it from answers other than 2xx."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


_CLASSES: dict[str, type[SabikaError]] = {}


class SabikaError(Exception):
    """A call has failed; error_classes.py has a class for each code.

    `code` is stable: one of the service (docs/partner.md), of its token endpoint (RFC 6749), or of
    this client: `connection_failed`, `request_timed_out`, `signer_failed`, `unexpected_answer`. `retryable` says
    that the same call may succeed later. A write that is repeated with `idempotency_key` is
    executed at most once. `status` is 0 if no answer came; `retry_after` is in seconds.
    """

    def __init_subclass__(cls, *, by_code: str | None = None) -> None:
        if by_code is not None:
            _CLASSES[by_code] = cls

    def __new__(cls, code: str, *_: Any, **__: Any) -> SabikaError:
        return super().__new__(_CLASSES.get(code, cls))

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        retryable: bool = False,
        title: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
        meta: Mapping[str, Any] | None = None,
        errors: list[dict[str, str]] | None = None,
        diagnosis: dict[str, str] | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.retryable = retryable
        self.title = title
        self.request_id = request_id
        self.retry_after = retry_after
        self.idempotency_key = idempotency_key
        self.meta = dict(meta or {})
        self.errors = errors or []
        self.diagnosis = diagnosis


def read_refusal(
    status: int, headers: Mapping[str, str], text: str, idempotency_key: str | None = None
) -> SabikaError:
    """Makes the error for an answer other than 2xx; `headers` has lower-case names."""
    try:
        body = json.loads(text, parse_float=Decimal)
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    passing = status >= 500 or status in (408, 429)
    request_id = headers.get("x-request-id")
    retry_after = _seconds(headers.get("retry-after"))
    if isinstance(body.get("code"), str):
        return SabikaError(
            body["code"],
            body.get("detail") or body.get("title") or "",
            status=status,
            retryable=body.get("retryable") is True,
            title=body.get("title") or "",
            request_id=body.get("request_id") or request_id,
            retry_after=retry_after,
            idempotency_key=idempotency_key,
            meta=body.get("meta"),
            errors=body.get("errors"),
            diagnosis=body.get("diagnosis"),
        )
    known = isinstance(body.get("error"), str)
    return SabikaError(
        body["error"] if known else "unexpected_answer",
        (body.get("error_description") or "the token request was refused")
        if known
        else f"the answer (HTTP {status}) is not of this API; is a proxy in between?",
        status=status,
        retryable=passing,
        request_id=request_id,
        retry_after=retry_after,
        idempotency_key=idempotency_key,
    )


def leaves_unknown(error: SabikaError) -> bool:
    """Returns whether it is unknown after this error if the write was executed."""
    return error.code in {
        "outcome_unknown",
        "internal_error",
        "connection_failed",
        "request_timed_out",
        "unexpected_answer",
    }


def says_enough(error: SabikaError) -> bool:
    """Returns whether this error holds for every attempt under the key, not only for the last."""
    return error.code in {
        "idempotency_key_conflict",
        "outcome_unknown",
        "connection_failed",
        "request_timed_out",
        "unexpected_answer",
    }


def still_unknown(refusal: SabikaError, idempotency_key: str | None) -> SabikaError:
    """Makes the error for a refused repeat, which says nothing about earlier attempts.

    Those may have been executed, unless the service has found the key, which is the call's.
    """
    error = SabikaError(
        "outcome_unknown",
        "an earlier attempt may have been carried out; repeat with the same Idempotency-Key",
        status=refusal.status,
        retryable=True,
        request_id=refusal.request_id,
        retry_after=refusal.retry_after,
        idempotency_key=idempotency_key,
    )
    error.__cause__ = refusal
    return error


def _seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdecimal() else None
