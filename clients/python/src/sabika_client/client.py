"""The client: mutual TLS, tokens, signatures, and retries with one Idempotency-Key."""

from __future__ import annotations

import json
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Literal, TypeVar
from urllib.parse import quote as percent_encode
from urllib.parse import urlencode

import httpx

from .amounts import GRAM_DECIMALS, SAR_DECIMALS, format_amount
from .errors import SabikaError, leaves_unknown, read_refusal, says_enough, still_unknown
from .kit import Kit
from .resources import (
    Balances,
    Funding,
    Health,
    Order,
    Price,
    PriceHistory,
    Probe,
    Quote,
    Withdrawal,
)
from .retry import Retry, pause_before_next
from .signing import sign_request

T = TypeVar("T")

_RENEW_BEFORE_SECONDS = 60
_USER_AGENT = "sabika-client-python/1.0.0"


@dataclass(frozen=True)
class _Call:
    method: str
    path: str
    body: str | None = None
    media_type: str = "application/json"
    token: bool = True
    signed: bool = False
    idempotency_key: str | None = None
    also_status: int | None = None


class Client:
    """The service's API for a partner. Threads may share a client; close it at the end.

        with Client(open_kit(".sabika/partners/demo")) as client:
            quote = client.quote("buy", Decimal("1.5"))
            order = client.order(quote.id, idempotency_key=trade_id)

    Every method raises SabikaError if the call fails, AmountError for an amount that is too
    precise. Writes take an `idempotency_key`: if you store it with your record of the trade, the
    call can be repeated, also after a crash, without a second effect. By default each call makes a
    new key. `timeout` is in seconds, for connecting and for each read or write; `transport` replaces
    the connection with the kit's certificate; `clock` returns Unix time; `sleep` takes seconds.
    """

    def __init__(
        self,
        kit: Kit,
        *,
        timeout: float = 15.0,
        retry: Retry = Retry(),
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._kit = kit
        self._retry = retry
        self._clock = clock
        self._sleep = sleep
        self._http = httpx.Client(
            verify=kit.ssl_context(),
            timeout=timeout,
            transport=transport,
            headers={"Accept": "application/json", "User-Agent": _USER_AGENT},
        )
        self._clock_offset = 0.0
        self._token: tuple[str, float] | None = None
        self._token_lock = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def health(self) -> Health:
        # A 503 of /health is an answer, not a failure (Decision D16).
        return self._send(_Call("GET", "/health", token=False, also_status=503), Health.read)

    def prices(self) -> Price:
        return self._send(_Call("GET", "/v1/prices"), Price.read)

    def price_history(
        self, interval: str = "1h", *, start: str | None = None, end: str | None = None
    ) -> PriceHistory:
        """The course of the mid price by 1m, 5m, 1h or 1d; RFC 3339 times, else the last 100 spans."""
        query = {"interval": interval, "from": start, "to": end}
        text = urlencode({name: value for name, value in query.items() if value is not None})
        return self._send(_Call("GET", f"/v1/prices/history?{text}"), PriceHistory.read)

    def balances(self) -> Balances:
        return self._send(_Call("GET", "/v1/balances"), Balances.read)

    def fund(self, amount_sar: Decimal, *, idempotency_key: str | None = None) -> Funding:
        """Sandbox only: credits the account at once."""
        body = f'{{"amount_sar":{format_amount(amount_sar, SAR_DECIMALS)}}}'
        return self._send(_write("/sandbox/fund", body, idempotency_key), Funding.read)

    def quote(
        self,
        side: Literal["buy", "sell"],
        gold_grams: Decimal,
        *,
        idempotency_key: str | None = None,
    ) -> Quote:
        """Requests a price for gold that is firm for 60 seconds."""
        grams = format_amount(gold_grams, GRAM_DECIMALS)
        return self._quote(side, f'"gold_grams":{grams}', idempotency_key)

    def quote_for_money(
        self,
        side: Literal["buy", "sell"],
        amount_sar: Decimal,
        *,
        idempotency_key: str | None = None,
    ) -> Quote:
        """Quotes the most gold that the amount buys, or the least gold whose sale brings it."""
        amount = format_amount(amount_sar, SAR_DECIMALS)
        return self._quote(side, f'"amount_sar":{amount}', idempotency_key)

    def _quote(self, side: str, size: str, idempotency_key: str | None) -> Quote:
        body = f'{{"side":{json.dumps(side)},{size}}}'
        return self._send(_write("/v1/quotes", body, idempotency_key), Quote.read)

    def order(
        self,
        quote_id: str,
        *,
        client_reference: str | None = None,
        idempotency_key: str | None = None,
    ) -> Order:
        """Executes a quote."""
        body = json.dumps(_present(quote_id=quote_id, client_reference=client_reference))
        return self._send(_write("/v1/orders", body, idempotency_key, signed=True), Order.read)

    def withdraw(
        self,
        amount_sar: Decimal,
        *,
        client_reference: str | None = None,
        idempotency_key: str | None = None,
    ) -> Withdrawal:
        """Pays to the settlement IBAN that the operator has registered."""
        body = f'{{"amount_sar":{format_amount(amount_sar, SAR_DECIMALS)}'
        if client_reference is not None:
            body += f',"client_reference":{json.dumps(client_reference)}'
        call = _write("/v1/withdrawals", body + "}", idempotency_key, signed=True)
        return self._send(call, Withdrawal.read)

    def cancel_withdrawal(
        self, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Withdrawal:
        """Cancels a withdrawal; refused once it is being paid."""
        path = f"/v1/withdrawals/{percent_encode(withdrawal_id, safe='')}/cancel"
        return self._send(_write(path, "{}", idempotency_key, signed=True), Withdrawal.read)

    def probe(self, body: str = "{}") -> Probe:
        """Tests a signed request; the SabikaError of a refusal has a `diagnosis`."""
        return self._send(_write("/v1/signed-probe", body, None, signed=True), Probe.read)

    def find_order(self, idempotency_key: str) -> Order | None:
        """Returns the order that a key has made, or None; for use when an outcome is unknown."""
        path = f"/v1/orders?idempotency_key={percent_encode(idempotency_key, safe='')}"
        orders = self._send(_Call("GET", path), lambda page: list(map(Order.read, page["data"])))
        return orders[0] if orders else None

    def _send(self, call: _Call, read: Callable[[Any], T]) -> T:
        """Carries out a call with as many attempts as the policy allows.

        Every attempt has its own timestamp, nonce and signature; all have the same key.
        """
        cured: set[str] = set()
        unknown = False
        attempt = 1
        while True:
            token = self._access_token() if call.token else None
            try:
                return self._attempt(call, token, read)
            except SabikaError as refusal:
                error = still_unknown(refusal) if unknown and not says_enough(refusal) else refusal
                unknown |= call.idempotency_key is not None and leaves_unknown(error)
                if self._cure(refusal, cured, token):
                    continue
                pause = pause_before_next(self._retry, attempt, error)
                if pause is None:
                    raise error from error.__cause__
            attempt += 1
            self._sleep(pause)

    def _cure(self, error: SabikaError, cured: set[str], token: str | None) -> bool:
        """Removes the cause of a failure, if it can; each remedy once per call."""
        if error.code in cured:
            return False
        cured.add(error.code)
        if error.code in ("token_expired", "token_invalid"):
            with self._token_lock:
                if self._token is not None and self._token[0] == token:
                    self._token = None
            return True
        if error.code == "timestamp_out_of_window":
            server_time = error.meta.get("server_time")
            if isinstance(server_time, str):
                self._clock_offset = _unix_time(server_time) - self._clock()
                return True
        return False

    def _attempt(self, call: _Call, token: str | None, read: Callable[[Any], T]) -> T:
        url = self._kit.base_url + call.path
        body = b"" if call.body is None else call.body.encode()
        headers: dict[str, str] = {}
        if call.body is not None:
            headers["Content-Type"] = call.media_type
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if call.signed:
            headers |= sign_request(
                call.method,
                url,
                body,
                timestamp=str(int(self._clock() + self._clock_offset)),
                nonce=secrets.token_hex(16),
                key=self._kit.signing_key,
                key_id=self._kit.signing_key_id,
            )
        try:
            answer = self._http.request(call.method, url, content=body or None, headers=headers)
        except httpx.TransportError as error:
            timed_out = isinstance(error, httpx.TimeoutException)
            raise SabikaError(
                "request_timed_out" if timed_out else "connection_failed",
                f"no answer from {self._kit.base_url}",
                retryable=True,
                idempotency_key=call.idempotency_key,
            ) from error
        if not answer.is_success and answer.status_code != call.also_status:
            key = call.idempotency_key
            raise read_refusal(answer.status_code, answer.headers, answer.text, key)
        try:
            return read(json.loads(answer.text, parse_float=Decimal))
        except (KeyError, TypeError, ValueError) as error:
            raise SabikaError(
                "unexpected_answer",
                f"the answer to {call.method} {call.path} is not of the promised form",
                status=answer.status_code,
                request_id=answer.headers.get("x-request-id"),
                idempotency_key=call.idempotency_key,
            ) from error

    def _access_token(self) -> str:
        """Keeps one token, only in memory; one fetch at a time (Specification §5)."""
        with self._token_lock:
            if self._token is not None and self._token[1] - self._clock() > _RENEW_BEFORE_SECONDS:
                return self._token[0]
            form = {
                "grant_type": "client_credentials",
                "client_id": self._kit.client_id,
                "client_secret": self._kit.client_secret,
            }
            asked_at = self._clock()
            call = _Call(
                "POST",
                "/oauth/token",
                body=urlencode(form),
                media_type="application/x-www-form-urlencoded",
                token=False,
            )
            text, lifetime = self._send(
                call, lambda body: (str(body["access_token"]), body["expires_in"])
            )
            self._token = (text, asked_at + lifetime)
            return text


def _write(path: str, body: str, idempotency_key: str | None, signed: bool = False) -> _Call:
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    return _Call("POST", path, body=body, signed=signed, idempotency_key=key)


def _present(**members: str | None) -> dict[str, str]:
    return {name: value for name, value in members.items() if value is not None}


def _unix_time(text: str) -> float:
    """Reads a time in RFC 3339 and UTC; Python 3.10 does not read the Z."""
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return moment.replace(tzinfo=timezone.utc).timestamp()
