"""A partner's day: buys a gram of gold although the answer is lost, receives the events in their order,
and reconciles the day's statement with its own trades.

    python examples/trading_day.py KIT [WEBHOOK_URL]

With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
events are received there with the kit's receiver.crt and receiver.key.
"""

from __future__ import annotations

import queue
import sys
import threading
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import httpx

from sabika_client import (
    Client,
    Event,
    Kit,
    Order,
    OrderedReceiver,
    SabikaError,
    SequenceInMemory,
    open_kit,
)


class LosesFirstAnswer(httpx.BaseTransport):
    """A connection that loses the first answer to an order, as a network does now and then."""

    def __init__(self, kit: Kit) -> None:
        self._real = httpx.HTTPTransport(verify=kit.ssl_context())
        self._is_lost = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._real.handle_request(request)
        if self._is_lost or request.method != "POST" or request.url.path != "/v1/orders":
            return answer
        self._is_lost = True
        answer.close()
        raise httpx.ReadError("the connection broke", request=request)

    def close(self) -> None:
        self._real.close()


def start_receiver(
    kit: Kit, client: Client, url: str, events: queue.Queue[Event]
) -> ThreadingHTTPServer:
    """Serves the webhook endpoint, and puts each genuine event into `events`, once and in sequence."""
    if kit.webhook_secret is None:
        raise SystemExit("the kit has no webhook_secret")
    address = urlsplit(url)
    receive = OrderedReceiver(
        [kit.webhook_secret],
        lambda event, _: events.put(event),
        sequence=SequenceInMemory(),  # a table in production
        events=client.events,
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            self.send_response(receive(self.headers, body) if self.path == address.path else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer((address.hostname or "127.0.0.1", address.port or 443), Handler)
    server.socket = kit.receiver_ssl_context().wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def buy(client: Client, kit: Kit) -> Order:
    if kit.environment == "sandbox":
        client.fund(Decimal("1000"))
    quote = client.quote("buy", Decimal("1"))
    print(f"{quote.id} is firm until {quote.expires_at}: {quote.total_sar} SAR")
    # Your own reference for the trade, stored before the order is sent.
    trade = str(uuid.uuid4())
    order = client.order(quote.id, client_reference=trade, idempotency_key=trade)
    print(f"{order.id} {order.status}: {order.gold_grams} g for {order.total_sar} SAR")
    made = sum(listed.client_reference == trade for listed in client.list_orders())
    print(f"its answer was lost, its call repeated: {made} order")
    return order


def reconcile(client: Client, order: Order) -> None:
    """Compares the statement of the day with the order, and its entries with its balances."""
    created = datetime.fromisoformat(order.created_at.replace("Z", "+00:00"))
    day = created.astimezone(timezone(timedelta(hours=3))).date().isoformat()  # in Riyadh
    statement = client.statement(day)
    sums = {"cash": statement.opening.sar, "gold": statement.opening.gold_grams}
    for entry in statement.entries:
        if entry.debit_account in sums:
            sums[entry.debit_account] -= entry.amount
        if entry.credit_account in sums:
            sums[entry.credit_account] += entry.amount
    closing = {"cash": statement.closing.sar, "gold": statement.closing.gold_grams}
    booked = [entry.order for entry in statement.entries if entry.source.id == order.id]
    agrees = sums == closing and any(trade and trade.total_sar == order.total_sar for trade in booked)
    verdict = "reconciled" if agrees else "DIFFERS"
    print(f"{day} {verdict}: {len(statement.entries)} entries")


def main(folder: str, webhook_url: str | None) -> None:
    kit = open_kit(folder)
    events: queue.Queue[Event] = queue.Queue()
    with Client(kit, transport=LosesFirstAnswer(kit)) as client:
        server = start_receiver(kit, client, webhook_url, events) if webhook_url else None
        order = buy(client, kit)
        while server is not None:
            event = events.get(timeout=30)
            if event.object is not None and event.object["id"] == order.id:
                print(f"webhook {event.type} {order.id}")
                server.shutdown()
                server.server_close()
                break
        reconcile(client, order)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    try:
        main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
    except SabikaError as error:
        raise SystemExit(f"{error} (request {error.request_id})") from None
