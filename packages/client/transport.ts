/** What a call needs of `fetch`; the runtime's own, undici's and a test's all fit. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** What a call hands to `fetch`. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** By their lower-case names. */
  headers: Record<string, string>;
  /** The bytes of the body. */
  body?: Uint8Array<ArrayBuffer>;
  /** Redirects are not followed. */
  redirect: "manual";
  /** Ends the request. */
  signal: AbortSignal;
}

/** What a call reads of an answer. */
export interface FetchAnswer {
  /** The HTTP status. */
  status: number;
  /** By their lower-case names. */
  headers: { get(name: string): string | null };
  /** The whole body. */
  text(): Promise<string>;
  /** The body as it comes; needed for `streamEvents` alone. */
  body?: AnswerBody | null;
}

/** A body as it comes; that of `fetch` is one. */
export interface AnswerBody {
  /** Reads it from its beginning. */
  getReader(): {
    /** The next bytes. */
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    /** Reads no more. */
    cancel(): Promise<void>;
  };
}

/** The files of a kit that make the connection. */
export interface TransportKeys {
  /** What the server's certificate is checked against. */
  caPem: string;
  /** The partner's certificate. */
  certificatePem: string;
  /** Its private key. */
  privateKeyPem: string;
}

/** Connections with a partner's certificate. */
export interface Transport {
  /** Sends a request. */
  fetch: FetchLike;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Idle connections end here before the server ends them, so no request meets a closing one. */
const IDLE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** The parts of Deno that are used, so that Node's types suffice. */
interface DenoLike {
  createHttpClient(options: {
    caCerts: string[];
    cert: string;
    key: string;
    poolIdleTimeout: number;
  }): { close(): void };
}

/**
 * Opens a connection pool that presents the partner's certificate (Spec §5 Mutual TLS): undici's own
 * `fetch` and `Agent` on Node, `Deno.createHttpClient` on Deno. The one place that knows the runtime.
 * `createClient` opens one by itself; a caller that gives its own `fetch` may build it on this one.
 *
 * @param keys PEM: the authority of the service's certificate, the partner's certificate and its key
 * @example
 * ```ts
 * import { createClient, openKit, openTransport } from "@sabika/client";
 *
 * const kit = await openKit(".sabika/partners/demo");
 * const transport = openTransport(kit);
 * const client = createClient(kit, {
 *   fetch: async (url, init) => {
 *     console.log(init.method, url);
 *     return await transport.fetch(url, init);
 *   },
 * });
 * await client.prices();
 * await client.close();
 * await transport.close();
 * ```
 */
export function openTransport(keys: TransportKeys): Transport {
  const deno = (globalThis as { Deno?: DenoLike }).Deno;
  return deno ? openDenoTransport(deno, keys) : openNodeTransport(keys);
}

/**
 * Deno trusts its default root certificates beside the kit's `ca.crt`, and has no option to leave them
 * out: here the kit's CA is one more, on Node it is the only one.
 */
function openDenoTransport(deno: DenoLike, keys: TransportKeys): Transport {
  const client = deno.createHttpClient({
    caCerts: [keys.caPem],
    cert: keys.certificatePem,
    key: keys.privateKeyPem,
    poolIdleTimeout: IDLE_MS,
  });
  return {
    fetch: (url, init) => fetch(url, { ...init, client } as RequestInit),
    close: () => Promise.resolve(client.close()),
  };
}

function openNodeTransport(keys: TransportKeys): Transport {
  // Imported on first use: Deno needs no undici.
  let opening: Promise<Transport> | undefined;
  const open = async (): Promise<Transport> => {
    const { Agent, fetch: undiciFetch } = await import("undici");
    const dispatcher = new Agent({
      connect: {
        ca: keys.caPem,
        cert: keys.certificatePem,
        key: keys.privateKeyPem,
        timeout: CONNECT_TIMEOUT_MS,
      },
      keepAliveTimeout: IDLE_MS,
    });
    return {
      fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }),
      close: () => dispatcher.destroy(),
    };
  };
  return {
    fetch: async (url, init) => (await (opening ??= open())).fetch(url, init),
    close: async () => await (await opening)?.close(),
  };
}
