import net from "node:net";
import tls from "node:tls";

/** Where requests go: a Unix socket, or an address with mutual TLS (all credentials are PEM text). */
export type Target =
  | { kind: "socket"; path: string }
  | { kind: "tls"; host: string; port: number; ca: string; certificate: string; key: string };

/** Called with each complete answer. `body` is only valid during the call. */
type OnAnswer = (status: number, body: Buffer) => void;

/** A persistent connection with at most one request in flight. */
export interface Connection {
  send(request: Uint8Array, onAnswer: OnAnswer): void;
  close(): void;
}

const HEADERS_END = Buffer.from("\r\n\r\n");

/**
 * Opens a connection that parses just enough HTTP to find the end of an answer (status line, and a body by
 * Content-Length or chunks), because the loader shares its cores with the service that it measures.
 *
 * @param onBroken called at most once: the connection was lost, or an answer came without a request
 * @throws Error if the connection cannot be opened
 */
export function connect(target: Target, onBroken: (error: Error) => void): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const opened = () => {
      socket.off("error", reject);
      resolve(createConnection(socket, onBroken));
    };
    const socket = target.kind === "socket"
      ? net.connect({ path: target.path }, opened)
      : tls.connect({
        host: target.host,
        port: target.port,
        ca: target.ca,
        cert: target.certificate,
        key: target.key,
      }, opened);
    socket.once("error", reject);
    socket.setNoDelay?.(true);
  });
}

function createConnection(socket: net.Socket, onBroken: (error: Error) => void): Connection {
  let waiting: OnAnswer | undefined;
  let pending: Buffer = Buffer.alloc(0);
  let closed = false;
  const broken = (error: Error) => {
    if (closed) return;
    closed = true;
    socket.destroy();
    onBroken(error);
  };
  socket.on("error", broken);
  socket.on("close", () => broken(new Error("the server closed the connection")));
  socket.on("data", (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const answer = readAnswer(pending);
    if (answer === undefined) return;
    const answered = waiting;
    waiting = undefined;
    pending = pending.subarray(answer.length);
    if (answered === undefined) return broken(new Error("an answer without a request"));
    answered(answer.status, answer.body);
  });
  return {
    send(request, onAnswer) {
      waiting = onAnswer;
      socket.write(request);
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** Reads the first complete answer in the bytes; undefined if it is incomplete. */
function readAnswer(bytes: Buffer): { status: number; body: Buffer; length: number } | undefined {
  const end = bytes.indexOf(HEADERS_END);
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const status = Number(head.slice(9, 12));
  const start = end + 4;
  const declared = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (declared !== null) {
    const length = start + Number(declared[1]);
    return bytes.length < length
      ? undefined
      : { status, body: bytes.subarray(start, length), length };
  }
  return readChunks(bytes, start, status);
}

function readChunks(bytes: Buffer, start: number, status: number) {
  const parts: Buffer[] = [];
  for (let at = start;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || bytes.length < next) return undefined;
    if (size === 0) return { status, body: Buffer.concat(parts), length: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
