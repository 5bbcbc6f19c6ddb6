import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { testRecord } from "../../secret_search/record.ts";
import { readBody, readHead } from "../http_answer.ts";
import type { Credential } from "./authority.ts";
import type { Edge } from "./edge.ts";

/** An answer over a TLS connection; status 0 if no head of an answer came. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
  /** Whether the other side closed the connection afterwards. */
  closed: boolean;
  text: string;
}

/** The port of an edge, and the authority and certificate to call it with. */
export type CalledEdge = Pick<Edge, "authority" | "partner"> & { envoy: { port: number } };

/** Opens a TLS connection to the edge with this certificate; rejects if the handshake fails. */
export function openTls(
  edge: CalledEdge,
  credential: Credential | undefined,
  options: ConnectionOptions & { localAddress?: string } = {},
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const whole = {
      host: "127.0.0.1",
      port: edge.envoy.port,
      ca: edge.authority.pem,
      cert: credential?.certificate,
      key: credential?.key,
      ALPNProtocols: ["http/1.1"],
      ...options,
    };
    const socket = connect(whole, () => resolve(socket));
    socket.on("error", reject);
  });
}

/**
 * Sends bytes unchanged and reads until a whole answer is followed by a short silence, or until the
 * connection is closed. Parts are sent in turn with `pauseMs` between them.
 */
export async function rawCall(
  edge: CalledEdge,
  parts: string | readonly (string | Uint8Array)[],
  { credential, pauseMs = 0, quietMs = 40, timeoutMs = 8_000 }: {
    /** The client's certificate; null: none; by default the partner's of the edge. */
    credential?: Credential | null;
    pauseMs?: number;
    quietMs?: number;
    timeoutMs?: number;
  } = {},
): Promise<RawAnswer> {
  const socket = await openTls(
    edge,
    credential === undefined ? edge.partner : credential ?? undefined,
  );
  return await new Promise((resolve) => {
    let text = "";
    let timer: ReturnType<typeof setTimeout>;
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      clearTimeout(limit);
      socket.destroy();
      resolve(readAnswer(text, closed));
    };
    const limit = setTimeout(() => finish(false), timeoutMs);
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
      clearTimeout(timer);
      if (isWhole(text)) timer = setTimeout(() => finish(false), quietMs);
    });
    socket.on("error", () => finish(true));
    socket.on("close", () => finish(true));
    const send = async () => {
      for (const part of typeof parts === "string" ? [parts] : parts) {
        if (socket.destroyed) return;
        if (typeof part === "string" && part.includes("eyJ")) testRecord.secretsIn(part);
        // Latin-1, so that a test can write any byte.
        if (typeof part === "string") socket.write(part, "latin1");
        else socket.write(part);
        if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs));
      }
    };
    void send();
  });
}

/** Builds a request as text: request line, Host, these headers, Content-Length and body. */
export function requestText(
  method: string,
  target: string,
  headers: readonly string[] = [],
  body = "",
): string {
  const length = body === "" && method === "GET" ? [] : [`Content-Length: ${body.length}`];
  return [`${method} ${target} HTTP/1.1`, "Host: localhost", ...headers, ...length, "", body].join(
    "\r\n",
  );
}

function isWhole(text: string): boolean {
  const head = readHead(text);
  return head !== undefined && readBody(text, head) !== undefined;
}

function readAnswer(text: string, closed: boolean): RawAnswer {
  const { status, headers, bodyAt } = readHead(text) ??
    { status: 0, headers: new Map(), bodyAt: text.length };
  const isChunked = headers.get("transfer-encoding") === "chunked";
  const read = isChunked ? readBody(text, { status, headers, bodyAt }) : undefined;
  return { status, headers, body: read?.body ?? text.slice(bodyAt), closed, text };
}
