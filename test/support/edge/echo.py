"""A service that knows nothing of Sabika: it answers with the request as JSON. Prints its port."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode("latin-1")
        request = {"method": self.command, "target": self.path, "headers": self.headers.items()}
        request["body"] = body if len(body) <= 1000 else f"{len(body)} bytes"
        print(json.dumps(request), flush=True)
        answer = json.dumps(request).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
print(server.server_address[1], flush=True)
server.serve_forever()
