"""Sends calls: mutual TLS, tokens, signatures, and retries with one key.

sender.py is made out of this file (`npm run reference`): what is locked is locked for its threads.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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
S = TypeVar("S", bound="AsyncSender")


class AsyncSender(Stepper):
    """Carries out calls of the tasks of one event loop."""

    def __init__(
        self,
        kit: Kit,
        *,
        timeout: float = 15.0,
        retry: Retry = Retry(),
        proxy: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._timeout = timeout
        self._proxy = proxy
        self._transport = transport
        self._sleep = sleep
        super().__init__(self._connect(kit), retry, clock)
        self._lock = threading.Lock()
        self._token_lock = asyncio.Lock()

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._connection.http.aclose()

    async def reload(self, kit: Kit) -> None:
        """Goes on with another kit, such as one with a rotated certificate or key.

        Requests that are under way end with the old one; all later ones, also those that repeat
        an earlier one, use the new certificate and a new token.
        """
        connection = self._connect(kit)
        with self._lock:
            old, self._connection = self._connection, connection
        await self._leave(old, 0)

    def _connect(self, kit: Kit) -> Connection:
        http = httpx.AsyncClient(
            verify=kit.ssl_context(),
            transport=self._transport,
            proxy=self._proxy,
            trust_env=trusts_environment(kit),
            headers={"User-Agent": USER_AGENT},
        )
        return Connection(kit, http)

    async def _leave(self, connection: Connection, uses: int = 1) -> None:
        """Ends uses of a connection; closes it when it was replaced and these were the last."""
        with self._lock:
            connection.uses -= uses
            is_over = connection is not self._connection and connection.uses == 0
        if is_over and self._transport is None:
            await connection.http.aclose()

    async def send(self, call: Call, read: Callable[[Any], T]) -> T:
        """Carries out a call whose answer is JSON, with exact numbers."""
        return await self.exchange(call, lambda answer: read(exact_json(answer)))

    async def exchange(self, call: Call, read: Callable[[httpx.Response], T]) -> T:
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
                result = await self._send_once(step)
            elif isinstance(step, Pause):
                await self._sleep(step.seconds)
                result = None
            elif isinstance(step, Work):
                result = await asyncio.to_thread(step.do)
            else:
                try:
                    result = await self._access_token(step.connection)
                except SabikaError as error:
                    result = error

    async def _send_once(self, attempt: Attempt) -> httpx.Response | httpx.RequestError | None:
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
            answer: httpx.Response = await connection.http.send(request, stream=call.stream)
            if call.stream and answer.is_success:
                # Whoever reads it leaves the connection.
                is_open, answer.extensions["connection"] = True, connection
            elif call.stream:
                await answer.aread()
            return answer
        except httpx.RequestError as error:
            return error
        finally:
            if not is_open:
                await self._leave(connection)

    @asynccontextmanager
    async def open_stream(self, call: Call) -> AsyncIterator[tuple[httpx.Response, Connection]]:
        """Carries out a call whose answer is read as it comes."""
        answer = await self.exchange(call, lambda answer: answer)
        connection: Connection = answer.extensions["connection"]
        try:
            yield answer, connection
        finally:
            await answer.aclose()
            await self._leave(connection)

    async def _access_token(self, connection: Connection) -> str:
        """Fetches one token at a time (Specification §5)."""
        async with self._token_lock:
            kept = self._kept_token(connection)
            if kept is not None:
                return kept
            asked_at = self._clock()
            return await self.send(
                self._token_call(connection.kit),
                lambda json: self._keep_token(connection, json, asked_at),
            )
