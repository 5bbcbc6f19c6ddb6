/** Of a request to whoever answers on this machine. */
export const HOST = "Host: localhost\r\n";

/** Requests whose framing can be read in two ways, or not at all (F63); by what is wrong with them. */
export const MALFORMED_REQUESTS: Readonly<Record<string, string>> = {
  "Content-Length and chunked": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 5\r\n` +
    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "an unknown transfer coding":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  "two lengths":
    `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  "a length with a sign": `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: +2\r\n\r\n{}`,
  "NUL in a header": `GET /health HTTP/1.1\r\n${HOST}A: b\0c\r\n\r\n`,
  "a header name with a space": `GET /health HTTP/1.1\r\n${HOST}A b: c\r\n\r\n`,
};
