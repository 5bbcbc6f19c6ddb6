"""Events as they come (Decision D33), without end: a stream that breaks is opened again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal

import httpx

from .async_sender import AsyncSender
from .errors import SabikaError
from .retry import Retry, jittered
from .sender import Sender
from .steps import Call
from .webhooks import Event, event_of


class _Course:
    """Where a stream is, and how often it has failed since its last event."""

    def __init__(self, after: int, retry: Retry) -> None:
        self.after = after
        self._retry = retry
        self._failures = -1

    def open(self) -> tuple[Call, float]:
        """Returns the call that opens the stream, and the pause to make before it."""
        self._failures += 1
        self._name = ""
        self._data: list[str] = []
        path = f"/v1/events/stream?after_sequence={self.after}"
        pause = jittered(self._retry, self._failures) if self._failures else 0.0
        return Call("GET", path, accept="text/event-stream", stream=True), pause

    def feed(self, line: str) -> Event | None:
        """Reads a line; returns the event that it completes. Raises _Ended at the end."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        if name == "data":
            self._data.append(value)
        if line or not self._data:
            return None
        text, self._data = "\n".join(self._data), []
        if self._name not in ("", "message"):
            raise _Ended
        self._failures = 0
        event = _read(text)
        if event.sequence <= self.after:
            return None
        self.after = event.sequence
        return event


class _Ended(Exception):
    """The service has ended the stream: with the token, or because the instance stops."""


#: After these a stream is opened again, unless the error is not retryable.
_BROKEN = (httpx.RequestError, _Ended, SabikaError)


def stream_events(sender: Sender, after_sequence: int) -> Iterator[Event]:
    course = _Course(after_sequence, sender._retry)
    while True:
        call, pause = course.open()
        if pause:
            sender._sleep(pause)
        try:
            with sender.open_stream(call) as (answer, connection):
                for line in lines_of(answer):
                    event = course.feed(line)
                    if event is not None:
                        yield event
                    if connection is not sender._connection:
                        break  # The kit was replaced.
        except _BROKEN as error:
            if isinstance(error, SabikaError) and not error.retryable:
                raise


async def stream_events_async(sender: AsyncSender, after_sequence: int) -> AsyncIterator[Event]:
    course = _Course(after_sequence, sender._retry)
    while True:
        call, pause = course.open()
        if pause:
            await sender._sleep(pause)
        try:
            async with sender.open_stream(call) as (answer, connection):
                async for line in lines_of_async(answer):
                    event = course.feed(line)
                    if event is not None:
                        yield event
                    if connection is not sender._connection:
                        break  # The kit was replaced.
        except _BROKEN as error:
            if isinstance(error, SabikaError) and not error.retryable:
                raise


def lines_of(answer: httpx.Response) -> Iterator[str]:
    """Iterates over lines as server-sent events have them. Those of httpx end at U+0085, U+2028
    and U+2029 too, which JSON may have within a string."""
    rest = ""
    for text in answer.iter_text():
        *lines, rest = (rest + text).split("\n")
        yield from (line.removesuffix("\r") for line in lines)


async def lines_of_async(answer: httpx.Response) -> AsyncIterator[str]:
    rest = ""
    async for text in answer.aiter_text():
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            yield line.removesuffix("\r")


def _read(text: str) -> Event:
    try:
        return event_of(json.loads(text, parse_float=Decimal))
    except ValueError as error:
        raise SabikaError(
            "unexpected_answer", "the stream of events is not of the promised form"
        ) from error
