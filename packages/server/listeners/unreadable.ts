import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { encodeUtf8, type ErrorCode, refuse } from "@sabika/protocol";
import { problemReply } from "../call/problem_reply.ts";

/** What is needed to answer what could not be read as a request. */
export interface Unreadable {
  readonly newRequestId: () => string;
  /** Called for each such answer, for log and metrics. */
  readonly onUnreadable: (status: number, code: ErrorCode, requestId: string) => void;
}

/** The refusal of what could not be read, reported and ready to be sent. */
export function unreadableReply(
  { newRequestId, onUnreadable }: Unreadable,
  code: ErrorCode,
): ReturnType<typeof problemReply> {
  const requestId = newRequestId();
  const reply = problemReply(refuse(code), { requestId, path: "/" });
  onUnreadable(reply.status, code, requestId);
  const headers = { ...reply.headers, "x-request-id": requestId, "cache-control": "no-store" };
  return { ...reply, headers };
}

/**
 * Answers what the HTTP parser refuses, before there is a request, and every attempt to leave
 * HTTP/1.1 (`Upgrade`), in the form of all refusals. The connection ends, whatever follows (F63).
 */
export function answerParseErrors(
  server: Server,
  unreadable: Unreadable,
): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    end(socket, CODE_OF[error.code ?? ""] ?? "malformed_request");
  });
  server.on("upgrade", (_request, socket: Duplex) => {
    // Node no longer handles its errors.
    socket.on("error", () => socket.destroy());
    end(socket, "malformed_request");
  });

  function end(socket: Duplex, code: ErrorCode): void {
    const { status, headers, body } = unreadableReply(unreadable, code);
    const lines = Object.entries({
      ...headers,
      "content-length": String(encodeUtf8(body).byteLength),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  }
}

const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};
