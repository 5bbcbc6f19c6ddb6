"""Receives webhooks, each event once even if killed: python3 receive.py KIT DATABASE"""

import base64, hashlib, hmac, json, pathlib, sqlite3, ssl, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

kit = pathlib.Path(sys.argv[1])
partner = json.loads((kit / "partner.json").read_text())
books = sqlite3.connect(sys.argv[2], check_same_thread=False)
books.execute("create table if not exists seen (id text primary key)")
books.execute("create table if not exists news (sequence integer, type text)")
one_at_a_time = threading.Lock()


def verify(secret, headers, body):
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(f"v1,{expected}", signature) for signature in signatures)


def handle(event):
    # The id and the effect of the event in one transaction: both are committed, or neither.
    with one_at_a_time, books:
        new = books.execute("insert or ignore into seen values (?)", [event["id"]]).rowcount == 1
        if new:
            books.execute("insert into news values (?, ?)", [event["sequence"], event["type"]])


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            genuine = verify(partner["webhook_secret"], self.headers, body)
        except (KeyError, TypeError, ValueError):
            genuine = False
        if genuine:
            handle(json.loads(body))
        self.send_response(204 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True


url = urlsplit(partner["webhook_url"])
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(kit / "receiver.crt", kit / "receiver.key")
server = Server((url.hostname, url.port), Receiver)
server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"listening at {url.geturl()}", flush=True)
server.serve_forever()
