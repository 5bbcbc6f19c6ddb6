"""Sends calls: mutual TLS, tokens, signatures, and retries with one Idempotency-Key."""

from __future__ import annotations

import json
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx

from .errors import SabikaError, leaves_unknown, read_refusal, says_enough, still_unknown
from .kit import Kit
from .retry import Retry, pause_before_next
from .signing import sign_request

T = TypeVar("T")

_RENEW_BEFORE_SECONDS = 60
_USER_AGENT = "sabika-client-python/1.0.0"


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: str | None = None
    media_type: str = "application/json"
    accept: str = "application/json"
    token: bool = True
    signed: bool = False
    idempotency_key: str | None = None
    also_status: int | None = None


class Sender:
    """Carries out calls, each with as many attempts as the policy allows."""

    def __init__(
        self,
        kit: Kit,
        *,
        timeout: float = 15.0,
        retry: Retry = Retry(),
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._kit = kit
        self._retry = retry
        self._clock = clock
        self._sleep = sleep
        self._http = httpx.Client(
            verify=kit.ssl_context(),
            timeout=timeout,
            transport=transport,
            headers={"User-Agent": _USER_AGENT},
        )
        self._clock_offset = 0.0
        self._token: tuple[str, float] | None = None
        self._token_lock = threading.Lock()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def send(self, call: Call, read: Callable[[Any], T]) -> T:
        """Carries out a call whose answer is JSON, with exact numbers."""
        return self.exchange(
            call, lambda answer: read(json.loads(answer.text, parse_float=Decimal))
        )

    def exchange(self, call: Call, read: Callable[[httpx.Response], T]) -> T:
        """Carries out a call with as many attempts as the policy allows.

        Every attempt has its own timestamp, nonce and signature; all have the same key.
        """
        cured: set[str] = set()
        unknown = False
        attempt = 1
        while True:
            token = self._access_token() if call.token else None
            try:
                return self._attempt(call, token, read)
            except SabikaError as refusal:
                error = still_unknown(refusal) if unknown and not says_enough(refusal) else refusal
                unknown |= call.idempotency_key is not None and leaves_unknown(error)
                if self._cure(refusal, cured, token):
                    continue
                pause = pause_before_next(self._retry, attempt, error)
                if pause is None:
                    raise error from error.__cause__
            attempt += 1
            self._sleep(pause)

    def _cure(self, error: SabikaError, cured: set[str], token: str | None) -> bool:
        """Removes the cause of a failure, if it can; each remedy once per call."""
        if error.code in cured:
            return False
        cured.add(error.code)
        if error.code in ("token_expired", "token_invalid"):
            with self._token_lock:
                if self._token is not None and self._token[0] == token:
                    self._token = None
            return True
        if error.code == "timestamp_out_of_window":
            server_time = error.meta.get("server_time")
            if isinstance(server_time, str):
                self._clock_offset = _unix_time(server_time) - self._clock()
                return True
        return False

    def _attempt(
        self, call: Call, token: str | None, read: Callable[[httpx.Response], T]
    ) -> T:
        url = self._kit.base_url + call.path
        body = b"" if call.body is None else call.body.encode()
        headers = {"Accept": call.accept}
        if call.body is not None:
            headers["Content-Type"] = call.media_type
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if call.signed:
            headers |= sign_request(
                call.method,
                url,
                body,
                timestamp=str(int(self._clock() + self._clock_offset)),
                nonce=secrets.token_hex(16),
                key=self._kit.signing_key,
                key_id=self._kit.signing_key_id,
            )
        try:
            answer = self._http.request(call.method, url, content=body or None, headers=headers)
        except httpx.TransportError as error:
            timed_out = isinstance(error, httpx.TimeoutException)
            raise SabikaError(
                "request_timed_out" if timed_out else "connection_failed",
                f"no answer from {self._kit.base_url}",
                retryable=True,
                idempotency_key=call.idempotency_key,
            ) from error
        if not answer.is_success and answer.status_code != call.also_status:
            key = call.idempotency_key
            raise read_refusal(answer.status_code, answer.headers, answer.text, key)
        try:
            return read(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise SabikaError(
                "unexpected_answer",
                f"the answer to {call.method} {call.path} is not of the promised form",
                status=answer.status_code,
                request_id=answer.headers.get("x-request-id"),
                idempotency_key=call.idempotency_key,
            ) from error

    def _access_token(self) -> str:
        """Keeps one token, only in memory; one fetch at a time (Specification §5)."""
        with self._token_lock:
            if self._token is not None and self._token[1] - self._clock() > _RENEW_BEFORE_SECONDS:
                return self._token[0]
            form = {
                "grant_type": "client_credentials",
                "client_id": self._kit.client_id,
                "client_secret": self._kit.client_secret,
            }
            asked_at = self._clock()
            call = Call(
                "POST",
                "/oauth/token",
                body=urlencode(form),
                media_type="application/x-www-form-urlencoded",
                token=False,
            )
            text, lifetime = self.send(
                call, lambda body: (str(body["access_token"]), body["expires_in"])
            )
            self._token = (text, asked_at + lifetime)
            return text


def write(path: str, body: str, idempotency_key: str | None, signed: bool = False) -> Call:
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    return Call("POST", path, body=body, signed=signed, idempotency_key=key)


def _unix_time(text: str) -> float:
    """Reads a time in RFC 3339 and UTC; Python 3.10 does not read the Z."""
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return moment.replace(tzinfo=timezone.utc).timestamp()
