"""Sends calls in asyncio: like sender.py, but awaiting instead of waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from .kit import Kit
from .retry import Retry
from .steps import SILENCE_SECONDS, USER_AGENT, Attempt, Call, Pause, Stepper, exact_json

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
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(kit, retry, clock)
        self._sleep = sleep
        self._timeout = timeout
        self._http = httpx.AsyncClient(
            verify=kit.ssl_context(), transport=transport, headers={"User-Agent": USER_AGENT}
        )
        self._token_lock = asyncio.Lock()

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

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
            else:
                result = await self._access_token()

    async def _send_once(self, attempt: Attempt) -> httpx.Response | httpx.TransportError:
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
            answer = await self._http.send(request, stream=call.stream)
            if call.stream and not answer.is_success:
                await answer.aread()
            return answer
        except httpx.TransportError as error:
            return error

    async def _access_token(self) -> str:
        """Fetches one token at a time (Specification §5)."""
        async with self._token_lock:
            kept = self._kept_token()
            if kept is not None:
                return kept
            asked_at = self._clock()
            return await self.send(self._token_call(), lambda json: self._keep_token(json, asked_at))
