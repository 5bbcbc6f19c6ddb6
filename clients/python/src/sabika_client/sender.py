"""Sends calls and waits for them: mutual TLS, tokens, signatures, and retries with one key."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx

from .errors import SabikaError
from .kit import Kit
from .retry import Retry
from .steps import (
    SILENCE_SECONDS,
    USER_AGENT,
    Attempt,
    Call,
    Connection,
    Pause,
    Stepper,
    Work,
    exact_json,
    trusts_environment,
)

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
        proxy: str | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._timeout = timeout
        self._proxy = proxy
        self._transport = transport
        self._sleep = sleep
        super().__init__(self._connect(kit), retry, clock)
        self._lock = threading.Lock()
        self._token_lock = threading.Lock()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._connection.http.close()

    def reload(self, kit: Kit) -> None:
        """Goes on with another kit, such as one with a rotated certificate or key.

        Requests that are under way end with the old one; all later ones, also those that repeat
        an earlier one, use the new certificate and a new token.
        """
        connection = self._connect(kit)
        with self._lock:
            old, self._connection = self._connection, connection
        self._leave(old, 0)

    def _connect(self, kit: Kit) -> Connection:
        http = httpx.Client(
            verify=kit.ssl_context(),
            transport=self._transport,
            proxy=self._proxy,
            trust_env=trusts_environment(kit),
            headers={"User-Agent": USER_AGENT},
        )
        return Connection(kit, http)

    def _leave(self, connection: Connection, uses: int = 1) -> None:
        """Ends uses of a connection; closes it when it was replaced and these were the last."""
        with self._lock:
            connection.uses -= uses
            is_over = connection is not self._connection and connection.uses == 0
        if is_over and self._transport is None:
            connection.http.close()

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
            elif isinstance(step, Work):
                result = step.do()
            else:
                try:
                    result = self._access_token(step.connection)
                except SabikaError:
                    if step.connection is self._connection:
                        raise
                    result = None  # The kit was replaced meanwhile, and nothing is sent.

    def _send_once(self, attempt: Attempt) -> httpx.Response | httpx.TransportError | None:
        call, connection = attempt.call, attempt.connection
        with self._lock:
            if connection is not self._connection:
                return None
            connection.uses += 1
        silence = SILENCE_SECONDS if call.stream else self._timeout
        request = connection.http.build_request(
            call.method,
            connection.kit.base_url + call.path,
            content=attempt.content,
            headers=attempt.headers,
            timeout=httpx.Timeout(self._timeout, read=silence),
        )
        is_open = False
        try:
            answer: httpx.Response = connection.http.send(request, stream=call.stream)
            if call.stream and answer.is_success:
                # Whoever reads it leaves the connection.
                is_open, answer.extensions["connection"] = True, connection
            elif call.stream:
                answer.read()
            return answer
        except httpx.TransportError as error:
            return error
        finally:
            if not is_open:
                self._leave(connection)

    @contextmanager
    def open_stream(self, call: Call) -> Iterator[tuple[httpx.Response, Connection]]:
        """Carries out a call whose answer is read as it comes."""
        answer = self.exchange(call, lambda answer: answer)
        connection: Connection = answer.extensions["connection"]
        try:
            yield answer, connection
        finally:
            answer.close()
            self._leave(connection)

    def _access_token(self, connection: Connection) -> str:
        """Fetches one token at a time (Specification §5)."""
        with self._token_lock:
            kept = self._kept_token(connection)
            if kept is not None:
                return kept
            asked_at = self._clock()
            return self.send(
                self._token_call(connection.kit),
                lambda json: self._keep_token(connection, json, asked_at),
            )
