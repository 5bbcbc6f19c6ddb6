"""Receiving webhooks: the signature over the raw body, and each event handled once.

Standard Webhooks; Decisions D33 to D35.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from .reading import integer, maybe, members, text
from .resources import EVENT_OBJECTS, EventDelivery

TOLERANCE_SECONDS = 300
_TIMESTAMP = re.compile(r"[1-9][0-9]{0,10}")
_REMEMBERED = 10_000


class Headers(Protocol):
    """Looks up headers by their lower-case names, as a dict or most web servers' headers do."""

    def get(self, name: str, /) -> str | None: ...


class WebhookRefused(Exception):
    """A delivery does not verify; `reason` is the name in docs/vectors/webhook.json."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def sign_webhook(secret: str, id: str, timestamp: str, body: bytes) -> str:
    """Makes a signature, `v1,<base64>`. Raises ValueError if the secret is not `whsec_<base64>`."""
    return f"v1,{base64.b64encode(_hmac(secret, id, timestamp, body)).decode()}"


def verify_webhook(
    secrets: Iterable[str],
    headers: Headers,
    body: bytes,
    *,
    now: float,
    tolerance: int = TOLERANCE_SECONDS,
) -> None:
    """Verifies a delivery: one of its signatures must fit one of the secrets (two in a rotation).

    `body` is the raw body, never parsed and written again; `now` is Unix time. Raises
    WebhookRefused, and ValueError when a secret is not `whsec_<base64>`.
    """
    id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not id or not timestamp or not signatures:
        raise WebhookRefused("header_missing")
    if not _TIMESTAMP.fullmatch(timestamp):
        raise WebhookRefused("timestamp_invalid")
    if abs(int(now) - int(timestamp)) > tolerance:
        raise WebhookRefused("timestamp_out_of_window")
    received = [_decode(part[3:]) for part in signatures.split(" ") if part.startswith("v1,")]
    fits = False
    for secret in secrets:
        expected = _hmac(secret, id, timestamp, body)
        for signature in received:
            # compare_digest takes the same time wherever the values differ.
            fits |= signature is not None and hmac.compare_digest(signature, expected)
    if not fits:
        raise WebhookRefused("signature_mismatch")


def _hmac(secret: str, id: str, timestamp: str, body: bytes) -> bytes:
    key = _decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else None
    if not key:
        raise ValueError("a webhook secret must be whsec_ and base64")
    return hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()


def _decode(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


@dataclass(frozen=True)
class Event:
    """A delivered event. Ignore unknown types: new ones may be added."""

    id: str
    type: str
    environment: str
    sequence: int
    timestamp: str
    #: The order, funding or withdrawal as JSON, with numbers as Decimal. None in a ping.
    object: dict[str, Any] | None
    #: How far its delivery is; None in a webhook.
    delivery: EventDelivery | None = None

    def resource(self) -> Any:
        """Reads the object as the resource that its type names, such as an Order.

        None for a ping and for unknown types. Raises ValueError or KeyError if it is something else.
        """
        read = EVENT_OBJECTS.get(self.type)
        return None if read is None else read(self.object)


class Seen(Protocol):
    """Remembers handled events; in production in a table, in the transaction of the effect."""

    def __contains__(self, id: object, /) -> bool: ...
    def add(self, id: str, /) -> None: ...


class SeenInMemory:
    """Remembers the last ten thousand ids in memory, for trials."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, id: object) -> bool:
        return id in self._ids

    def add(self, id: str) -> None:
        self._ids[id] = None
        if len(self._ids) > _REMEMBERED:
            self._ids.popitem(last=False)


class WebhookReceiver:
    """Verifies deliveries, handles each event once, and returns the status to answer.

        receive = WebhookReceiver([kit.webhook_secret], handle)
        status = receive(request.headers, raw_body)

    It may be called from several threads; events are handled one after another.
    """

    def __init__(
        self,
        secrets: Iterable[str],
        handle: Callable[[Event], None],
        *,
        seen: Seen | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = list(secrets)
        self._handle = handle
        self._seen = SeenInMemory() if seen is None else seen
        self._clock = clock
        self._lock = threading.Lock()

    def __call__(self, headers: Headers, body: bytes) -> int:
        """Returns the status: 204 handled (now or before), 400 invalid event, 401 not genuine.

        500 if `handle` or `seen` raised an exception: the event is then delivered again later.
        Raises ValueError if a secret is not `whsec_<base64>`.
        """
        event = open_webhook(self._secrets, headers, body, now=self._clock())
        if isinstance(event, int):
            return event
        with self._lock:
            try:
                if event.id not in self._seen:
                    self._handle(event)
                    self._seen.add(event.id)
            except Exception:
                return 500
        return 204


def open_webhook(
    secrets: Iterable[str], headers: Headers, body: bytes, *, now: float
) -> Event | int:
    """Verifies and reads a delivery; returns the status to answer if it is none."""
    try:
        verify_webhook(secrets, headers, body, now=now)
    except WebhookRefused:
        return 401
    try:
        event = read_event(body)
    except ValueError:
        return 400
    # The signature covers the id in the header, which must be that of the event in the body.
    return event if event.id == headers.get("webhook-id") else 400


def read_event(body: bytes) -> Event:
    """Reads the body of a delivery. Raises ValueError if it is not an event."""
    return event_of(json.loads(body.decode(), parse_float=Decimal))


def event_of(json: Any) -> Event:
    """Reads the JSON of an event. Raises ValueError if it is something else."""
    try:
        own = members(json)
        return Event(
            id=text(own["id"]),
            type=text(own["type"]),
            environment=text(own["environment"]),
            sequence=integer(own["sequence"]),
            timestamp=text(own["timestamp"]),
            # The object of a ping is empty.
            object=members(own["data"])["object"] or None,
            delivery=maybe(EventDelivery.from_json, own.get("delivery")),
        )
    except (KeyError, ValueError):
        raise ValueError("the body is not an event") from None
