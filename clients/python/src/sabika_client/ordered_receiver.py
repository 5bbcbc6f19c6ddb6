"""Receiving webhooks in the order of their events, each once, whatever order deliveries come in."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .pages import Pages
from .webhooks import Event, Headers, open_webhook

#: The number of events on a page.
_LIMIT_MAX = 100


class SequenceStore(Protocol):
    """Stores the number of the next event, in production in a table.

    Events are numbered without gaps, so events with smaller numbers are repeats.
    """

    def next(self) -> int:
        """Reads the number of the next event."""

    def step(self, sequence: int, work: Callable[[Any], None]) -> bool:
        """Does the work for the event with this number and stores the next number: both or neither.

        `work` takes the transaction, in which its effect happens exactly once. Returns False, and
        does nothing, if this is not the next event. In SQL, in one transaction:
        `update receivers set next = next + 1 where name = … and next = …`, and the work if it
        changed a row.
        """


class SequenceInMemory:
    """Keeps the number in memory until the program ends, for trials; its transaction is None."""

    def __init__(self, first: int = 1) -> None:
        self._next = first

    def next(self) -> int:
        return self._next

    def step(self, sequence: int, work: Callable[[Any], None]) -> bool:
        if sequence != self._next:
            return False
        work(None)
        self._next += 1
        return True


class ListEvents(Protocol):
    """Lists events behind a number, oldest first: `client.events`."""

    def __call__(self, *, limit: int, after_sequence: int) -> Pages[Event]: ...


class OrderedReceiver:
    """Verifies deliveries and handles each event once and in sequence.

        receive = OrderedReceiver(
            [kit.webhook_secret], handle, sequence=SequenceInMemory(), events=client.events
        )
        status = receive(request.headers, raw_body)

    Repeats are acknowledged and dropped, early events wait `patience` seconds for earlier ones,
    and what is still missing is fetched. It may be called from several threads; events are handled
    one after another. If `handle` raises, no later event is handled until this one succeeds.
    """

    def __init__(
        self,
        secrets: Iterable[str],
        handle: Callable[[Event, Any], None],
        *,
        sequence: SequenceStore,
        events: ListEvents,
        patience: float = 0.2,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = list(secrets)
        self._handle = handle
        self._sequence = sequence
        self._events = events
        self._patience = patience
        self._clock = clock
        self._turn = threading.Lock()
        #: Delivered events that wait for their turn, by number; notified of each that comes.
        self._held: dict[int, Event] = {}
        self._comes = threading.Condition()
        self._fetched: dict[int, Event] = {}

    def __call__(self, headers: Headers, body: bytes) -> int:
        """Returns the status: 204 handled (now or before), 400 invalid event, 401 not genuine.

        500 if something raised an exception: the event is then delivered again later. Raises
        ValueError if a secret is not `whsec_<base64>`.
        """
        event = open_webhook(self._secrets, headers, body, now=self._clock())
        if isinstance(event, int):
            return event
        with self._comes:
            self._held[event.sequence] = event
            self._comes.notify_all()
        try:
            with self._turn:
                number = self._sequence.next()
                while event.sequence >= number:
                    self._handle_one(number)
                    number = self._sequence.next()
            return 204
        except Exception:
            return 500
        finally:
            with self._comes:
                self._held.pop(event.sequence, None)

    def _handle_one(self, number: int) -> None:
        event = self._held.get(number) or self._fetched.get(number) or self._missing(number)
        # False: another process has handled it.
        self._sequence.step(number, lambda transaction: self._handle(event, transaction))
        self._fetched.pop(number, None)

    def _missing(self, number: int) -> Event:
        with self._comes:
            if self._comes.wait_for(lambda: number in self._held, self._patience):
                return self._held[number]
            later = [held for held in self._held if held > number]
        limit = min(min(later, default=number + 1) - number, _LIMIT_MAX)
        page = self._events(limit=limit, after_sequence=number - 1).page()
        self._fetched = {event.sequence: event for event in page.data}
        return self._fetched[number]
