"""The client against a running sandbox, over a connection that tests can disturb."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

import httpx
import pytest

from sabika_client import (
    Client,
    Health,
    Kit,
    SabikaError,
    verify_receipt,
    verify_reserve,
    verify_versions,
)


class Interposed(httpx.BaseTransport):
    """The real connection; `interpose` may answer instead of the service or lose its answers."""

    def __init__(
        self,
        kit: Kit,
        interpose: Callable[[httpx.Request, Callable[[], httpx.Response]], httpx.Response],
    ) -> None:
        self._real = httpx.HTTPTransport(verify=kit.ssl_context())
        self._interpose = interpose
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._interpose(request, lambda: self._real.handle_request(request))

    def close(self) -> None:
        self._real.close()


def no_pause(_: float) -> None:
    pytest.fail("it waited")


def test_an_order_whose_answer_is_lost_is_repeated_and_executed_once(kit: Kit) -> None:
    lost: list[httpx.Response] = []

    def lose_first_order(
        request: httpx.Request, send: Callable[[], httpx.Response]
    ) -> httpx.Response:
        answer = send()
        if request.url.path == "/v1/orders" and not lost:
            answer.read()
            lost.append(answer)
            raise httpx.ReadError("the connection broke", request=request)
        return answer

    transport = Interposed(kit, lose_first_order)
    with Client(kit, transport=transport, sleep=lambda _: None) as client:
        client.fund(Decimal("5000"))
        before = client.balances()
        quote = client.quote("buy", Decimal("1.5"))
        trade = str(uuid.uuid4())
        order = client.order(quote.id, client_reference=trade, idempotency_key=trade)
        after = client.balances()
        assert client.find_order(trade) is not None
    assert lost[0].status_code == 201
    assert lost[0].json()["id"] == order.id
    assert order.total_sar == quote.total_sar
    assert before.sar - after.sar == quote.total_sar
    assert after.gold_grams - before.gold_grams == Decimal("1.5")
    orders = [request for request in transport.requests if request.url.path == "/v1/orders"]
    first, second = (request for request in orders if request.method == "POST")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"] == trade
    for name in ("x-nonce", "x-jws-signature"):
        assert first.headers[name] != second.headers[name]


def test_a_call_is_repeated_after_the_pause_that_the_service_requested(kit: Kit) -> None:
    answers = [
        httpx.Response(503, headers={"retry-after": "2"}, text="<html>busy</html>"),
        httpx.Response(502, text=""),
    ]
    pauses: list[float] = []
    transport = Interposed(
        kit, lambda request, send: answers.pop(0) if request.method == "GET" and answers else send()
    )
    with Client(kit, transport=transport, sleep=pauses.append) as client:
        assert client.prices().mid_price_sar > 0
    assert pauses[0] == 2
    assert 0.2 <= pauses[1] <= 0.4


def test_the_health_of_an_unavailable_service_is_an_answer(kit: Kit) -> None:
    transport = Interposed(kit, lambda *_: httpx.Response(503, json={"status": "unavailable"}))
    with Client(kit, transport=transport, sleep=no_pause) as client:
        assert client.health() == Health("unavailable", None, None)


class Breaking(httpx.SyncByteStream):
    """The body of an answer, which breaks behind its first event."""

    def __init__(self, real: Iterable[bytes]) -> None:
        self._real = real

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._real:
            before, data, rest = chunk.partition(b"data:")
            first, end, _ = rest.partition(b"\n\n")
            yield before + data + first + end
            if data:
                raise httpx.ReadError("the connection broke")


def test_a_stream_that_breaks_goes_on_behind_the_last_event(kit: Kit) -> None:
    pauses: list[float] = []

    def break_streams(
        request: httpx.Request, send: Callable[[], httpx.Response]
    ) -> httpx.Response:
        answer = send()
        if request.url.path == "/v1/events/stream":
            assert isinstance(answer.stream, httpx.SyncByteStream)
            answer.stream = Breaking(answer.stream)
        return answer

    transport = Interposed(kit, break_streams)
    with Client(kit, transport=transport, sleep=pauses.append) as client:
        client.fund(Decimal("1"))
        client.fund(Decimal("2"))
        last = client.events(limit=1).page().data[0].sequence
        streamed = client.stream_events(after_sequence=last - 2)
        assert [next(streamed).sequence, next(streamed).sequence] == [last - 1, last]
    assert len(pauses) == 1


def losing_the_first(kit: Kit, path: str, failure: str | None, attempts: list[str]) -> Client:
    """Opens a client whose first request to the path is lost; repeats simulate the failure, if any."""

    def answer(request: httpx.Request, send: Callable[[], httpx.Response]) -> httpx.Response:
        if request.url.path == path:
            attempts.append(path)
            if len(attempts) == 1:
                raise httpx.ReadError("the connection broke", request=request)
            if failure is not None:
                request.headers["sabika-simulate"] = failure
        return send()

    return Client(kit, transport=Interposed(kit, answer), sleep=lambda _: None)


def test_a_refused_repeat_leaves_the_outcome_unknown(kit: Kit) -> None:
    attempts: list[str] = []
    with losing_the_first(kit, "/sandbox/fund", "service_unavailable", attempts) as client:
        with pytest.raises(SabikaError) as refused:
            client.fund(Decimal("1"))
    assert len(attempts) == 6
    assert (refused.value.code, refused.value.status) == ("outcome_unknown", 503)
    assert refused.value.retryable and refused.value.idempotency_key is not None
    with losing_the_first(kit, "/v1/withdrawals", None, []) as client:
        with pytest.raises(SabikaError) as unpaid:
            client.withdraw(Decimal("9999999999"))
    assert (unpaid.value.code, unpaid.value.status) == ("outcome_unknown", 422)
    assert isinstance(unpaid.value.__cause__, SabikaError)
    assert unpaid.value.__cause__.code == "insufficient_funds"


def test_a_call_fails_if_the_requested_pause_is_too_long(kit: Kit) -> None:
    transport = Interposed(
        kit,
        lambda request, send: (
            httpx.Response(429, headers={"retry-after": "60"}) if request.method == "GET" else send()
        ),
    )
    with Client(kit, transport=transport, sleep=no_pause) as client:
        with pytest.raises(SabikaError) as refused:
            client.prices()
    assert (refused.value.status, refused.value.retry_after) == (429, 60)


def test_a_key_that_is_used_for_something_else_is_a_conflict(kit: Kit) -> None:
    key = str(uuid.uuid4())
    with Client(kit, sleep=no_pause) as client:
        money = client.quote_for_money("buy", Decimal("500"))
        assert money.requested_amount_sar == 500 and Decimal("499.9") < money.total_sar <= 500
        first = client.quote("buy", Decimal("1"), idempotency_key=key)
        assert client.quote("buy", Decimal("1"), idempotency_key=key) == first
        with pytest.raises(SabikaError) as refused:
            client.quote("buy", Decimal("2"), idempotency_key=key)
    assert refused.value.code == "idempotency_key_conflict"
    assert refused.value.meta["resource_id"] == first.id
    assert refused.value.request_id is not None


def test_a_refusal_says_in_exact_numbers_what_is_missing(kit: Kit) -> None:
    with Client(kit, sleep=no_pause) as client:
        grams = client.balances().gold_grams + Decimal("0.0001")
        with pytest.raises(SabikaError) as refused:
            client.order(client.quote("sell", max(grams, Decimal("0.01"))).id)
    assert refused.value.code == "insufficient_gold"
    assert Decimal(refused.value.meta["available"]) < Decimal(refused.value.meta["needed"])


def test_a_refused_token_is_replaced(kit: Kit) -> None:
    with Client(kit, sleep=no_pause) as client:
        client._connection.token = ("not.a.token", time.time() + 600)
        assert client.balances().sar >= 0


def test_a_clock_that_is_off_is_corrected_by_the_service(kit: Kit) -> None:
    with Client(kit, clock=lambda: time.time() + 3600, sleep=no_pause) as client:
        assert client.probe().verified
        assert client.probe('{"note": "سبيكة"}').key_id == kit.signing_key_id


def test_a_withdrawal_is_signed_and_carried_out_once(kit: Kit) -> None:
    key = str(uuid.uuid4())
    with Client(kit, sleep=no_pause) as client:
        client.fund(Decimal("100"))
        first = client.withdraw(Decimal("12.34"), client_reference=key, idempotency_key=key)
        again = client.withdraw(Decimal("12.34"), client_reference=key, idempotency_key=key)
        assert client.cancel_withdrawal(first.id).status == "cancelled"
    assert first == again
    assert (first.amount_sar, first.client_reference) == (Decimal("12.34"), key)


def test_an_amount_that_is_too_precise_is_not_even_sent(kit: Kit) -> None:
    with Client(kit) as client:
        with pytest.raises(ValueError, match="too_precise"):
            client.fund(Decimal("0.001"))


def test_what_is_kept_of_an_order_is_fetched_and_verified(kit: Kit) -> None:
    with Client(kit) as client:
        client.fund(Decimal("1000"))
        order = client.order(client.quote("buy", Decimal("1")).id)
        receipt = client.receipt(order.id)
        while receipt is None:  # Its signer may be away.
            time.sleep(1)
            receipt = client.receipt(order.id)
        vault = client.vault()
        versions = [client.vault_version(n) for n in range(1, vault.version + 1)]
        keys = client.receipt_keys()
        assert '"keys":[]' in client.attestation_keys()
    assert hashlib.sha256(versions[-1]).hexdigest() == vault.hash
    assert verify_versions(versions).ok
    verified = verify_receipt(receipt, keys, bars=versions[-1])
    assert (verified.ok, verified.holds) == (True, ("signature", "value", "parts", "share", "bars"))
    assert verified.receipt is not None
    assert verified.receipt["pool"]["fine_ug"] == vault.fine_ug


def test_a_reserve_is_fetched_and_verified(kit: Kit) -> None:
    day = os.environ.get("SABIKA_RESERVE_DAY")
    if day is None:
        pytest.skip("SABIKA_RESERVE_DAY names no day that has a reserve")
    with Client(kit) as client:
        reserve, mine, keys = client.reserve(day), client.reserve_opening(day), client.receipt_keys()
        with pytest.raises(SabikaError, match="not_found"):
            client.reserve("2000-01-01")
    found = verify_reserve(
        reserve.text, hash=reserve.hash, signature=reserve.signature, keys=keys, mine=mine
    )
    assert (found.faults, reserve.attested) == ((), False)
