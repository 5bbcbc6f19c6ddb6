import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { encodeUtf8, type ErrorCode, refuse } from "@sabika/protocol";
import { problemReply } from "../call/problem_reply.ts";
import type { Reply } from "../call/reply.ts";

/** What is needed to answer input that could not be read as a request. */
export interface Unreadable {
  readonly newRequestId: () => string;
  /** Called for each such answer, for log and metrics. */
  readonly onUnreadable: (status: number, code: ErrorCode, requestId: string) => void;
}

/** Makes and reports the refusal of input that could not be read. */
export function unreadableReply(
  { newRequestId, onUnreadable }: Unreadable,
  code: ErrorCode,
): Reply & { readonly body: string } {
  const requestId = newRequestId();
  const reply = problemReply(refuse(code), { requestId, path: "/" });
  onUnreadable(reply.status, code, requestId);
  const headers = { ...reply.headers, "x-request-id": requestId, "cache-control": "no-store" };
  return { ...reply, headers };
}

/**
 * Answers input that the HTTP parser refuses, and every `Upgrade`, in the form of all refusals. The
 * connection then ends, whatever follows (F63).
 */
export function answerParseErrors(server: Server, unreadable: Unreadable): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (ended.has(socket)) return;
    if (!socket.writable || !OF_HTTP.test(error.code ?? "")) {
      socket.destroy();
      return;
    }
    end(socket, CODE_OF[error.code ?? ""] ?? "malformed_request");
  });
  server.on("upgrade", (_request, socket: Duplex) => {
    // Node no longer handles the errors of this socket.
    socket.on("error", () => socket.destroy());
    end(socket, "malformed_request");
  });

  function end(socket: Duplex, code: ErrorCode): void {
    const { status, headers, body } = lastReply(unreadable, code);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  }
}

/**
 * Whether a parsed request is HTTP/1.1 with a Host (RFC 9112 §3.2), as the sidecar requires too. Otherwise
 * it is refused here, and the connection ends, whatever follows (F63).
 */
export function isPlainHttp(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  unreadable: Unreadable,
): boolean {
  // What follows a refused request may have been parsed together with it.
  if (ended.has(incoming.socket)) return false;
  if (incoming.httpVersion === "1.1" && incoming.headers.host) return true;
  ended.add(incoming.socket);
  const { status, headers, body } = lastReply(unreadable, "malformed_request");
  outgoing.writeHead(status, headers).end(body);
  return false;
}

/** The refusal with which the connection ends. */
function lastReply(unreadable: Unreadable, code: ErrorCode) {
  const reply = unreadableReply(unreadable, code);
  const length = String(encodeUtf8(reply.body).byteLength);
  return { ...reply, headers: { ...reply.headers, "content-length": length, connection: "close" } };
}

const ended = new WeakSet<object>();

/**
 * Matches errors of a request, not of the connection. An answer that is written before the handshake is
 * complete would be sent after it, as the answer to a later request.
 */
const OF_HTTP = /^(HPE|ERR_HTTP)_/;

const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};
