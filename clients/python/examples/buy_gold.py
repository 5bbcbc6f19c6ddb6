"""Buys a gram of gold, repeats the order with the same key, and waits for the one webhook.

    python examples/buy_gold.py KIT [WEBHOOK_URL]

With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
events are received there with the kit's receiver.crt and receiver.key.
"""

from __future__ import annotations

import queue
import sys
import threading
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from sabika_client import Client, Event, Kit, SabikaError, WebhookReceiver, open_kit


def start_receiver(kit: Kit, url: str, events: queue.Queue[Event]) -> ThreadingHTTPServer:
    """Serves the webhook endpoint, and puts each genuine event into `events` once."""
    if kit.webhook_secret is None:
        raise SystemExit("the kit has no webhook_secret")
    address = urlsplit(url)
    receive = WebhookReceiver([kit.webhook_secret], events.put)

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


def main(folder: str, webhook_url: str | None) -> None:
    kit = open_kit(folder)
    events: queue.Queue[Event] = queue.Queue()
    server = start_receiver(kit, webhook_url, events) if webhook_url else None
    with Client(kit) as client:
        print(f"{client.health().environment}: {client.prices().buy_price_sar} SAR a gram")
        if kit.environment == "sandbox":
            client.fund(Decimal("1000"))
        quote = client.quote("buy", Decimal("1"))
        print(f"{quote.id} is firm until {quote.expires_at}: {quote.total_sar} SAR")
        # Your own reference for the trade, stored before the order is sent.
        trade = str(uuid.uuid4())
        order = client.order(quote.id, client_reference=trade, idempotency_key=trade)
        print(f"{order.id} {order.status}: {order.gold_grams} g for {order.total_sar} SAR")
        again = client.order(quote.id, client_reference=trade, idempotency_key=trade)
        print(f"{again.id} once more: {'the same' if again == order else 'another'} order")
    while server is not None:
        event = events.get(timeout=30)
        if event.object is not None and event.object["id"] == order.id:
            print(f"webhook {event.type} {order.id}")
            server.shutdown()
            server.server_close()
            break


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    try:
        main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
    except SabikaError as error:
        raise SystemExit(f"{error} (request {error.request_id})") from None
