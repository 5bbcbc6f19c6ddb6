import { requestText } from "./edge/raw_call.ts";

/** The Host header of requests to this machine. */
export const HOST = "Host: localhost\r\n";

/** The headers of an upgrade to HTTP/2 without TLS. */
export const H2C_SETTINGS = "HTTP2-Settings: AAMAAABk";
/** Builds a GET request with these header lines. */
export const upgradeOf = (...headers: string[]) => requestText("GET", "/health", headers);

/** Requests with ambiguous or invalid framing (F63), by their mistake. */
export const MALFORMED_REQUESTS: Readonly<Record<string, string>> = {
  "Content-Length and chunked": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 5\r\n` +
    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "an unknown transfer coding":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  "two lengths":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  "a length with a sign": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: +2\r\n\r\n{}`,
  "NUL in a header": `GET /health HTTP/1.1\r\n${HOST}A: b\0c\r\n\r\n`,
  "no Host": "GET /health HTTP/1.1\r\n\r\n",
  "HTTP/1.0": `GET /health HTTP/1.0\r\n${HOST}\r\n`,
  "Upgrade: websocket": upgradeOf("Connection: Upgrade", "Upgrade: websocket"),
  "a header name with a space": `GET /health HTTP/1.1\r\n${HOST}A b: c\r\n\r\n`,
};

/** Further requests that the edge refuses by itself (F63), by their mistake. */
export const REFUSED_BY_THE_EDGE: Readonly<Record<string, string>> = {
  "a bad chunk size":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
  "a space before the colon": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length : 2\r\n\r\n{}`,
  "HTTP/2 without negotiation": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT": `CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`,
  "TRACE": `TRACE /health HTTP/1.1\r\n${HOST}\r\n`,
  "a method nobody knows": `BREW /health HTTP/1.1\r\n${HOST}\r\n`,
  "transfer codings beside chunked":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "chunked twice": `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n` +
    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "a negative length": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: -2\r\n\r\n{}`,
  "an absolute target of another host": `GET http://evil.example/health HTTP/1.1\r\n${HOST}\r\n`,
  "an absolute target of its own": `GET https://localhost/health HTTP/1.1\r\n${HOST}\r\n`,
  "an absolute target with a user": `GET http://a@localhost/health HTTP/1.1\r\n${HOST}\r\n`,
  "an absolute target with another scheme": `GET ftp://localhost/health HTTP/1.1\r\n${HOST}\r\n`,
  "Upgrade: websocket that Connection does not name": upgradeOf("Upgrade: websocket"),
  "Upgrade: websocket with early data": upgradeOf("Connection: Upgrade", "Upgrade: websocket") +
    "\x81\x05hello",
  "Upgrade: h2c that Connection does not name": upgradeOf("Upgrade: h2c", H2C_SETTINGS),
  "Upgrade: h2c, websocket": upgradeOf("Connection: Upgrade", "Upgrade: h2c, websocket"),
  "Upgrade: h2c twice": upgradeOf("Connection: Upgrade", "Upgrade: h2c", "Upgrade: h2c"),
  "Upgrade: TLS/1.2": upgradeOf("Connection: Upgrade", "Upgrade: TLS/1.2"),
  "HTTP2-Settings without Upgrade": upgradeOf(H2C_SETTINGS),
  "a fragment": `GET /health#a HTTP/1.1\r\n${HOST}\r\n`,
  "bytes beyond ASCII in the target": `GET /health?\xe9 HTTP/1.1\r\n${HOST}\r\n`,
  "not HTTP": "hello\r\n\r\n",
};
