"""The service's API for a partner."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Literal
from urllib.parse import quote as percent_encode
from urllib.parse import urlencode

from .amounts import GRAM_DECIMALS, SAR_DECIMALS, format_amount
from .reserves import PublishedReserve
from .resources import (
    Balances,
    Funding,
    Health,
    Order,
    Price,
    PriceHistory,
    Probe,
    Quote,
    Vault,
    Withdrawal,
)
from .sender import Call, Sender, write


class Client(Sender):
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

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def health(self) -> Health:
        # A 503 of /health is an answer, not a failure (Decision D16).
        return self.send(Call("GET", "/health", token=False, also_status=503), Health.read)

    def prices(self) -> Price:
        return self.send(Call("GET", "/v1/prices"), Price.read)

    def price_history(
        self, interval: str = "1h", *, start: str | None = None, end: str | None = None
    ) -> PriceHistory:
        """The course of the mid price by 1m, 5m, 1h or 1d; RFC 3339 times, else the last 100 spans."""
        query = {"interval": interval, "from": start, "to": end}
        text = urlencode({name: value for name, value in query.items() if value is not None})
        return self.send(Call("GET", f"/v1/prices/history?{text}"), PriceHistory.read)

    def balances(self) -> Balances:
        return self.send(Call("GET", "/v1/balances"), Balances.read)

    def vault(self) -> Vault:
        """The pool of bars that your gold is a share of, as it is now."""
        return self.send(Call("GET", "/v1/vault"), Vault.read)

    def vault_version(self, number: int) -> bytes:
        """A version of that pool, to keep: its SHA-256 is the hash that receipts name."""
        call = Call("GET", f"/v1/vault/versions/{number}")
        return self.exchange(call, lambda answer: answer.content)

    def receipt(self, order_id: str) -> str | None:
        """The receipt of an order, to keep and for verify_receipt; None while it is not signed."""
        path = f"/v1/orders/{percent_encode(order_id, safe='')}/receipt"
        call = Call("GET", path, accept="application/jose")
        return self.exchange(
            call, lambda answer: None if answer.status_code == 202 else answer.text
        )

    def receipt_keys(self) -> str:
        """The JSON of all keys that ever signed receipts and reserves, to keep."""
        return self._text("/.well-known/sabika-receipt-keys.json")

    def attestation_keys(self) -> str:
        """The JSON of all keys of inspectors and auditors, to keep."""
        return self._text("/.well-known/sabika-attestation-keys.json")

    def reserve(self, day: str) -> PublishedReserve:
        """The reserve of a day in Riyadh, such as 2026-11-20, to keep and for verify_reserve."""
        return PublishedReserve.read(self._text(f"/v1/reserves/{percent_encode(day, safe='')}"))

    def reserve_opening(self, day: str) -> str:
        """The JSON of what your commitment in that reserve hides, to keep."""
        return self._text(f"/v1/reserves/{percent_encode(day, safe='')}/mine")

    def _text(self, path: str) -> str:
        return self.exchange(Call("GET", path), lambda answer: answer.text)

    def fund(self, amount_sar: Decimal, *, idempotency_key: str | None = None) -> Funding:
        """Sandbox only: credits the account at once."""
        body = f'{{"amount_sar":{format_amount(amount_sar, SAR_DECIMALS)}}}'
        return self.send(write("/sandbox/fund", body, idempotency_key), Funding.read)

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
        return self.send(write("/v1/quotes", body, idempotency_key), Quote.read)

    def order(
        self,
        quote_id: str,
        *,
        client_reference: str | None = None,
        idempotency_key: str | None = None,
    ) -> Order:
        """Executes a quote."""
        body = json.dumps(_present(quote_id=quote_id, client_reference=client_reference))
        return self.send(write("/v1/orders", body, idempotency_key, signed=True), Order.read)

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
        call = write("/v1/withdrawals", body + "}", idempotency_key, signed=True)
        return self.send(call, Withdrawal.read)

    def cancel_withdrawal(
        self, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Withdrawal:
        """Cancels a withdrawal; refused once it is being paid."""
        path = f"/v1/withdrawals/{percent_encode(withdrawal_id, safe='')}/cancel"
        return self.send(write(path, "{}", idempotency_key, signed=True), Withdrawal.read)

    def probe(self, body: str = "{}") -> Probe:
        """Tests a signed request; the SabikaError of a refusal has a `diagnosis`."""
        return self.send(write("/v1/signed-probe", body, None, signed=True), Probe.read)

    def find_order(self, idempotency_key: str) -> Order | None:
        """Returns the order that a key has made, or None; for use when an outcome is unknown."""
        path = f"/v1/orders?idempotency_key={percent_encode(idempotency_key, safe='')}"
        orders = self.send(Call("GET", path), lambda page: list(map(Order.read, page["data"])))
        return orders[0] if orders else None


def _present(**members: str | None) -> dict[str, str]:
    return {name: value for name, value in members.items() if value is not None}
