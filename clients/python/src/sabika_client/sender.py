"""Sends calls and waits for them: mutual TLS, tokens, signatures, and retries with one key."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from .kit import Kit
from .retry import Retry
from .steps import SILENCE_SECONDS, USER_AGENT, Attempt, Call, Pause, Stepper, exact_json

T = TypeVar("T")
S = TypeVar("S", bound="Sender")


class Sender(Stepper):
    """Carries out calls, one after another or from several threads."""

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
        super().__init__(kit, retry, clock)
        self._sleep = sleep
        self._timeout = timeout
        self._http = httpx.Client(
            verify=kit.ssl_context(), transport=transport, headers={"User-Agent": USER_AGENT}
        )
        self._token_lock = threading.Lock()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def send(self, call: Call, read: Callable[[Any], T]) -> T:
        """Carries out a call whose answer is JSON, with exact numbers."""
        return self.exchange(call, lambda answer: read(exact_json(answer)))

    def exchange(self, call: Call, read: Callable[[httpx.Response], T]) -> T:
        """Carries out a call with as many attempts as the policy allows."""
        steps = self._steps(call, read)
        result: Any = None
        while True:
            try:
                step = steps.send(result)
            except StopIteration as done:
                value: T = done.value
                return value
            if isinstance(step, Attempt):
                result = self._send_once(step)
            elif isinstance(step, Pause):
                self._sleep(step.seconds)
                result = None
            else:
                result = self._access_token()

    def _send_once(self, attempt: Attempt) -> httpx.Response | httpx.TransportError:
        call = attempt.call
        silence = SILENCE_SECONDS if call.stream else self._timeout
        request = self._http.build_request(
            call.method,
            self._kit.base_url + call.path,
            content=attempt.content,
            headers=attempt.headers,
            timeout=httpx.Timeout(self._timeout, read=silence),
        )
        try:
            answer = self._http.send(request, stream=call.stream)
            if call.stream and not answer.is_success:
                answer.read()
            return answer
        except httpx.TransportError as error:
            return error

    def _access_token(self) -> str:
        """Fetches one token at a time (Specification §5)."""
        with self._token_lock:
            kept = self._kept_token()
            if kept is not None:
                return kept
            asked_at = self._clock()
            return self.send(self._token_call(), lambda json: self._keep_token(json, asked_at))
