"""Every operation of the API, called by both clients against a running sandbox."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from vector_files import vectors

from sabika_client import (
    AsyncClient,
    Client,
    CredentialRequestPending,
    FundingScenario,
    InsufficientFunds,
    Kit,
    Order,
    Quote,
    QuoteNotFound,
    WebhooksScenario,
)

Requests = list[tuple[str, str]]


class Recorded(httpx.HTTPTransport):
    def __init__(self, kit: Kit, requests: Requests) -> None:
        super().__init__(verify=kit.ssl_context())
        self._requests = requests

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._requests.append((request.method, request.url.path))
        return super().handle_request(request)


class AsyncRecorded(httpx.AsyncHTTPTransport):
    def __init__(self, kit: Kit, requests: Requests) -> None:
        super().__init__(verify=kit.ssl_context())
        self._requests = requests

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._requests.append((request.method, request.url.path))
        return await super().handle_async_request(request)


def not_called(requests: Requests) -> list[str]:
    return [
        operation["id"]
        for operation in vectors("operations.json")["operations"]
        if not any(
            method == operation["method"] and re.search(operation["path"], path)
            for method, path in requests
        )
    ]


def signing_request(kit: Kit) -> str:
    names = {NameOID.ORGANIZATION_NAME: "Demo Bank", NameOID.COMMON_NAME: kit.client_id}
    subject = x509.Name([x509.NameAttribute(oid, text) for oid, text in names.items()])
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, SHA256())
    return request.public_bytes(Encoding.PEM).decode()


def reads(client: Any, order: Order, withdrawal_id: str, event_id: str) -> list[Callable[[], Any]]:
    """Returns the calls of the operations that need nothing to be made before."""
    today = datetime.now(timezone(timedelta(hours=3))).date().isoformat()
    reserve_day = os.environ.get("SABIKA_RESERVE_DAY", "2026-11-20")
    since = datetime.now(timezone.utc) - timedelta(hours=1)
    return [
        client.health,
        client.prices,
        lambda: client.price_history("1m", start=since),
        client.balances,
        client.vault,
        lambda: client.vault_version(1),
        lambda: client.receipt(order.id),
        client.receipt_keys,
        client.attestation_keys,
        lambda: client.reserve(reserve_day),
        lambda: client.reserve_opening(reserve_day),
        lambda: client.get_quote(order.quote_id),
        lambda: client.get_order(order.id),
        lambda: client.get_order_evidence(order.id),
        lambda: client.get_withdrawal(withdrawal_id),
        lambda: client.get_withdrawal_evidence(withdrawal_id),
        lambda: client.list_quotes(limit=2, status="executed").page(),
        lambda: client.list_orders(created_from=since).page(),
        lambda: client.list_withdrawals().page(),
        lambda: client.list_ledger_entries().page(),
        lambda: client.get_event(event_id),
        lambda: client.events().page(),
        lambda: client.delivery_attempts(event_id).page(),
        lambda: client.statement(today),
        lambda: client.statement_csv(today),
        client.me,
        client.limits,
        lambda: client.redeliver(event_id),
        lambda: client.redeliver_range(1, 1),
        client.enable_webhook,
        lambda: client.scenario(webhooks=WebhooksScenario("twice", 0)),
        client.probe,
    ]


def test_every_operation_is_called(kit: Kit) -> None:
    if "SABIKA_RESERVE_DAY" not in os.environ:
        pytest.skip("SABIKA_RESERVE_DAY names no day that has a reserve")
    requests: Requests = []
    with Client(kit, transport=Recorded(kit, requests)) as client:
        client.fund(Decimal("1000"))
        client.scenario(funding=FundingScenario(Decimal("100.50"), "later", after_seconds=0))
        order = client.order(client.quote("buy", Decimal("1")).id)
        withdrawal = client.withdraw(Decimal("1"))
        client.cancel_withdrawal(withdrawal.id)
        # The sandbox issues at once; elsewhere an operator does, and one request may wait.
        with suppress(CredentialRequestPending):
            client.request_certificate(signing_request(kit), overlap_seconds=86_400)
        with suppress(CredentialRequestPending):
            client.request_signing_key(signing_request(kit))
        last, *_ = client.list_requested_credentials(limit=2).page().data
        assert client.get_requested_credential(last.id) == last
        event = next(event for event in client.stream_events(after_sequence=0))
        assert (event.sequence, event.delivery) == (1, None)
        for read in reads(client, order, withdrawal.id, event.id):
            read()
    assert not_called(requests) == []

    async def call_everything() -> Requests:
        awaited: Requests = []
        async with AsyncClient(kit, transport=AsyncRecorded(kit, awaited)) as client:
            await client.fund(Decimal("1000"))
            quote = await client.quote_for_money("buy", Decimal("500"))
            bought = await client.order(quote.id, idempotency_key=quote.id)
            assert await client.find_order(quote.id) == await client.get_order(bought.id)
            paid = await client.withdraw(Decimal("1"))
            await client.cancel_withdrawal(paid.id)
            with suppress(CredentialRequestPending):
                await client.request_certificate(signing_request(kit))
            with suppress(CredentialRequestPending):
                await client.request_signing_key(signing_request(kit))
            last, *_ = (await client.list_requested_credentials(limit=2).page()).data
            assert await client.get_requested_credential(last.id) == last
            async for event in client.stream_events(after_sequence=1):
                assert event.sequence == 2
                break
            for read in reads(client, bought, paid.id, event.id):
                await read()
        return awaited

    assert not_called(asyncio.run(call_everything())) == []


def lasting(quotes: Iterable[Quote]) -> list[Quote]:
    """Returns quotes without their status, which changes between two pages when they expire."""
    return [replace(quote, status="open") for quote in quotes]


def test_a_list_goes_through_all_its_pages(kit: Kit) -> None:
    with Client(kit) as client:
        for grams in ("1", "2", "3"):
            client.quote("buy", Decimal(grams))
        first = client.list_quotes(limit=2).page()
        assert first.next_cursor is not None
        rest = client.list_quotes(limit=2, cursor=first.next_cursor)
        listed = lasting(client.list_quotes(limit=2))
        assert (len(first.data), lasting([*first.data, *rest])) == (2, listed)
        assert len({quote.id for quote in listed}) == len(listed)

        async def listed_again() -> list[Quote]:
            async with AsyncClient(kit) as awaiting:
                return [quote async for quote in awaiting.list_quotes(limit=2)]

        assert lasting(asyncio.run(listed_again())) == listed


def test_an_event_has_its_object_as_a_resource(kit: Kit) -> None:
    with Client(kit) as client:
        client.fund(Decimal("1000"))
        order = client.order(client.quote("buy", Decimal("1")).id)
        executed = next(e for e in client.events() if e.type == "order.executed")
        assert executed.delivery is not None
        assert executed.resource() == client.get_order(order.id)


def test_a_refusal_is_of_the_class_of_its_code(kit: Kit) -> None:
    with Client(kit) as client:
        with pytest.raises(QuoteNotFound):
            client.order("qt_00000000-0000-7000-8000-000000000000")
        with pytest.raises(InsufficientFunds) as refused:
            client.withdraw(Decimal("9999999999"))
    assert refused.value.code == "insufficient_funds"
