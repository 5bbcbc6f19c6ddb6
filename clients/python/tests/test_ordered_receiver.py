from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from test_webhook_receiver import NOW, SECRET, delivery

from sabika_client import Event, OrderedReceiver, SequenceInMemory
from sabika_client.pages import Page, Pages
from sabika_client.webhooks import read_event


def body(number: int) -> bytes:
    return (
        f'{{"id":"evt_{number}","type":"ping","environment":"sandbox","sequence":{number},'
        '"timestamp":"2026-11-20T09:30:00.000Z","data":{"object":{}}}'
    ).encode()


class Service:
    """Has events up to a number, and remembers what it was asked for."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.requests: list[tuple[int, int]] = []

    def events(self, *, limit: int, after_sequence: int) -> Pages[Event]:
        self.requests.append((after_sequence, limit))
        numbers = range(after_sequence + 1, min(after_sequence + limit, self.last) + 1)
        return _OnePage(Page(tuple(read_event(body(number)) for number in numbers), None))


class _OnePage(Pages[Event]):
    def __init__(self, page: Page[Event]) -> None:
        self._only = page

    def page(self, cursor: str | None = None) -> Page[Event]:
        return self._only


def receiver(
    service: Service, handle: Callable[[Event, Any], None], patience: float = 0
) -> Callable[[int], int]:
    receive = OrderedReceiver(
        [SECRET],
        handle,
        sequence=SequenceInMemory(),
        events=service.events,
        patience=patience,
        clock=lambda: NOW,
    )
    return lambda number: receive(*delivery(body(number), id=f"evt_{number}"))


def test_a_gap_is_fetched_in_one_page_and_a_late_delivery_is_acknowledged() -> None:
    done: list[int] = []
    service = Service(60)
    receive = receiver(service, lambda event, _: done.append(event.sequence))
    assert receive(50) == 204
    assert (done, service.requests) == (list(range(1, 51)), [(0, 50 - 1)])
    assert (receive(7), len(done)) == (204, 50)
    assert (receive(70), done[-1]) == (500, 60), "there is no such event"


def test_an_event_waits_for_an_earlier_one_that_comes_meanwhile() -> None:
    done: list[int] = []
    service = Service(0)
    receive = receiver(service, lambda event, _: done.append(event.sequence), patience=60)
    second = threading.Thread(target=receive, args=(2,))
    second.start()
    assert receive(1) == 204
    second.join()
    assert (done, service.requests) == ([1, 2], [])


def test_no_later_event_is_handled_before_one_that_failed() -> None:
    done: list[int] = []
    attempts: list[int] = []

    def fail_once(event: Event, _: None) -> None:
        attempts.append(event.sequence)
        if attempts == [1]:
            raise RuntimeError("the database is gone")
        done.append(event.sequence)

    receive = receiver(Service(2), fail_once)
    assert (receive(1), done) == (500, [])
    assert (receive(2), done) == (204, [1, 2])
    assert (receive(1), done) == (204, [1, 2])


def test_what_is_not_genuine_is_refused() -> None:
    receive = OrderedReceiver(
        ["whsec_AAAA"], lambda *_: None, sequence=SequenceInMemory(), events=Service(0).events
    )
    assert receive(*delivery(body(1), id="evt_1")) == 401
