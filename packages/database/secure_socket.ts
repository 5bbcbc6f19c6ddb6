import { readFile } from "node:fs/promises";
import net from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import tls from "node:tls";

/** A PostgreSQL server to be reached over TLS. */
export interface SecureTarget {
  host: string;
  /** `prefer` continues without TLS if the server has none; only `verify-full` checks the host name. */
  ssl: "prefer" | "require" | "verify-full";
  /** The PEM file of the trusted authorities; the runtime's own when undefined. */
  rootCertificateFile?: string | undefined;
}

/** SSLRequest: asks whether the server supports TLS; the answer is one letter. */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = "S".charCodeAt(0);

/**
 * Negotiates TLS with a PostgreSQL server over a socket that is connecting, before anything else is sent.
 *
 * @returns the socket to use: `raw` itself when `prefer` found no TLS
 * @throws Error with the code `DATABASE_TLS` when the server has no TLS, fails verification or is too slow,
 * or the authorities cannot be read; else with the code of the failure to connect. The socket is destroyed.
 */
export async function secureSocket(
  raw: net.Socket,
  target: SecureTarget,
  timeoutMs: number,
): Promise<net.Socket> {
  let socket = raw;
  // Between two steps nothing listens for errors; the next step notices that the socket is gone.
  raw.on("error", ignore);
  const late = () => socket.destroy(new Error(`it took longer than ${timeoutMs / 1000} s`));
  const deadline = setTimeout(late, timeoutMs);
  try {
    const { rootCertificateFile: file } = target;
    const [ca] = await Promise.all([
      file === undefined ? undefined : readFile(file, "utf8"),
      next(raw, "connect"),
    ]);
    if (!await speaksTls(raw)) {
      if (target.ssl === "prefer") return raw;
      throw new Error("the server has none");
    }
    socket = tls.connect({
      socket: raw,
      host: target.host,
      ...(net.isIP(target.host) === 0 ? { servername: target.host } : {}),
      ...(ca === undefined ? {} : { ca }),
      rejectUnauthorized: target.ssl === "verify-full",
    });
    socket.on("error", ignore);
    await next(socket, "secureConnect");
    return socket;
  } catch (error) {
    socket.destroy();
    if (CONNECTING.has(codeOf(error))) throw error;
    const words = `no TLS with the database at ${target.host}: ${(error as Error).message}`;
    throw Object.assign(new Error(words, { cause: error }), { code: "DATABASE_TLS" });
  } finally {
    clearTimeout(deadline);
  }
}

function ignore(): void {}

/** The codes of errors that say that no server was reached. */
const CONNECTING = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

async function speaksTls(raw: net.Socket): Promise<boolean> {
  raw.write(SSL_REQUEST);
  const answer = await next(raw, "data");
  // Bytes after the letter were injected, to be read as if they had come over TLS.
  if (answer?.length !== 1) throw new Error("its answer is not one letter");
  return answer[0] === YES;
}

/** Waits for an event and returns its argument. Throws when the socket has ended, or ends before. */
function next(
  socket: net.Socket,
  event: "connect" | "data" | "secureConnect",
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      socket.off(event, happened).off("error", failed).off("close", closed);
    };
    const happened = (chunk?: Uint8Array) => {
      stop();
      resolve(chunk);
    };
    const failed = (error: Error) => {
      stop();
      reject(error);
    };
    const closed = () => failed(new Error("the connection was closed"));
    if (socket.destroyed) return closed();
    socket.on(event, happened).on("error", failed).on("close", closed);
  });
}
