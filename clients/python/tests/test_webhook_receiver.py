from __future__ import annotations

import pytest

from sabika_client import Event, WebhookReceiver
from sabika_client.webhooks import SeenInMemory, sign_webhook

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
NOW = 1795167000


def delivery(body: bytes, id: str = "evt_1", secret: str = SECRET) -> tuple[dict[str, str], bytes]:
    signature = sign_webhook(secret, id, str(NOW), body)
    headers = {"webhook-id": id, "webhook-timestamp": str(NOW), "webhook-signature": signature}
    return headers, body


def event(id: str = "evt_1") -> bytes:
    return (
        f'{{"id":"{id}","type":"order.executed","api_version":"v1","environment":"sandbox",'
        '"sequence":2,"timestamp":"2026-11-20T09:30:00.000Z",'
        '"data":{"object":{"id":"ord_1","total_sar":1039.11}}}'
    ).encode()


def test_an_event_is_handled_once_however_often_it_comes() -> None:
    handled: list[Event] = []
    receive = WebhookReceiver([SECRET], handled.append, clock=lambda: NOW)
    assert [receive(*delivery(event())) for _ in range(3)] == [204, 204, 204]
    assert len(handled) == 1
    assert handled[0].object is not None
    assert str(handled[0].object["total_sar"]) == "1039.11"


def test_an_event_whose_handler_fails_is_handled_when_it_comes_again() -> None:
    attempts: list[Event] = []

    def fail_once(event: Event) -> None:
        attempts.append(event)
        if len(attempts) == 1:
            raise RuntimeError("the database is away")

    receive = WebhookReceiver([SECRET], fail_once, clock=lambda: NOW)
    assert [receive(*delivery(event())) for _ in range(3)] == [500, 204, 204]
    assert len(attempts) == 2


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (*delivery(event(), secret="whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"), 401),
        (delivery(event())[0], event() + b" ", 401),
        ({}, event(), 401),
        (*delivery(event("evt_2")), 400),
        (*delivery(b"[]"), 400),
        (*delivery(b'{"id":"evt_1"}'), 400),
        (*delivery(b"\xff"), 400),
    ],
)
def test_a_delivery_that_is_not_genuine_or_readable_is_not_handled(
    headers: dict[str, str], body: bytes, status: int
) -> None:
    handled: list[Event] = []
    receive = WebhookReceiver([SECRET], handled.append, clock=lambda: NOW)
    assert receive(headers, body) == status
    assert handled == []


def test_the_memory_of_events_does_not_grow_for_ever() -> None:
    seen = SeenInMemory()
    for number in range(10_001):
        seen.add(f"evt_{number}")
    assert "evt_0" not in seen
    assert "evt_1" in seen
