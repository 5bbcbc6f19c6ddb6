"""What a write says of itself when an attempt may have been carried out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import httpx
import pytest

from sabika_client import AsyncClient, Client, Kit, Retry, SabikaError

Answer = Callable[[httpx.Request], httpx.Response]
#: Asks for a quote, which is a write, and returns the error.
Refused = Callable[..., SabikaError]


@pytest.fixture(params=["waiting", "asyncio"])
def refused(request: pytest.FixtureRequest, kit: Kit) -> Refused:
    """Asks with each client."""

    async def pause(_: float) -> None:
        pass

    def ask(
        answer: Answer | None = None, kit: Kit = kit, clock: Callable[[], float] = lambda: 0.0
    ) -> SabikaError:
        options: dict[str, Any] = {"clock": clock, "retry": Retry(2)}
        if answer is None:
            options["timeout"] = 0.2  # The service is near: only silence takes this long.
        else:
            options["transport"] = httpx.MockTransport(answer)

        async def ask_async() -> None:
            async with AsyncClient(kit, sleep=pause, **options) as client:
                await client.quote("buy", Decimal("1"))

        with pytest.raises(SabikaError) as error:
            if request.param == "asyncio":
                asyncio.run(ask_async())
            else:
                with Client(kit, sleep=lambda _: None, **options) as client:
                    client.quote("buy", Decimal("1"))
        return error.value

    return ask


def token(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"access_token": "secret", "expires_in": 600})


def broken(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("the connection broke", request=request)


def refusing(status: int, code: str) -> Answer:
    return lambda _: httpx.Response(status, json={"error": code})


@pytest.mark.parametrize("ends_by", ["time", "refusal"])
@pytest.mark.parametrize(
    "code, answer",
    [
        ("temporarily_unavailable", refusing(503, "temporarily_unavailable")),
        ("unauthorized_client", refusing(400, "unauthorized_client")),
        ("unexpected_answer", lambda _: httpx.Response(502, text="<html>Bad gateway</html>")),
        ("connection_failed", broken),
    ],
)
def test_a_write_whose_repeat_gets_no_token_has_an_open_outcome(
    refused: Refused, code: str, answer: Answer, ends_by: str
) -> None:
    now = 0.0
    tokens = 0
    keys: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        nonlocal now, tokens
        if request.url.path == "/oauth/token":
            tokens += 1
            return token(request) if tokens == 1 else answer(request)
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            now += 600 if ends_by == "time" else 0
            return broken(request)
        return httpx.Response(401, json={"code": "token_expired"})

    error = refused(handle, clock=lambda: now)
    assert (error.code, error.retryable) == ("outcome_unknown", True)
    assert error.idempotency_key == keys[0]
    assert len(keys) == (1 if ends_by == "time" else 2)
    assert isinstance(error.__cause__, SabikaError) and error.__cause__.code == code


def test_a_write_that_gets_no_token_at_all_was_refused(refused: Refused) -> None:
    error = refused(refusing(400, "unauthorized_client"))
    assert error.code == "unauthorized_client"


def test_a_write_whose_repeat_is_told_no_time_has_an_open_outcome(refused: Refused) -> None:
    answers = [broken]

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/oauth/token":
            return token(request)
        if answers:
            return answers.pop()(request)
        wrong = {"code": "timestamp_out_of_window", "meta": {"server_time": "noon"}}
        return httpx.Response(401, json=wrong)

    error = refused(handle)
    assert error.code == "outcome_unknown" and error.idempotency_key is not None


@contextmanager
def serving(kit: Kit, answer: bytes) -> Iterator[Kit]:
    """Serves tokens, and for the rest these bytes and then nothing more; returns a kit for it."""
    json = b'{"access_token":"secret","expires_in":600}'

    class Service(StreamRequestHandler):
        def handle(self) -> None:
            while line := self.rfile.readline():
                size = 0
                while (header := self.rfile.readline()).strip():
                    name, _, value = header.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                self.rfile.read(size)
                is_token = b"/oauth/token" in line
                token = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(json), json)
                self.wfile.write(token if is_token else answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield replace(kit, base_url=f"http://127.0.0.1:{server.server_address[1]}")
        finally:
            server.shutdown()


def test_a_write_whose_answer_stops_in_its_body_times_out(refused: Refused, kit: Kit) -> None:
    with serving(kit, b'HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"id"') as silent:
        error = refused(kit=silent)
    assert error.code == "request_timed_out" and error.idempotency_key is not None


def test_a_write_whose_answer_cannot_be_decoded_has_an_open_outcome(
    refused: Refused, kit: Kit
) -> None:
    head = b"HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
    with serving(kit, head + b"gold") as garbled:
        error = refused(kit=garbled)
    assert error.code == "connection_failed" and error.idempotency_key is not None
