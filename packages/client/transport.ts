import { proxyFor } from "./proxy.ts";
import { tlsOptions, type TransportKeys } from "./transport_keys.ts";

/** The part of `fetch` that the client uses; the runtime's, undici's and a test's `fetch` all have it. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** The options that the client passes to `fetch`. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The headers, by their lower-case names. */
  headers: Record<string, string>;
  /** The bytes of the body. */
  body?: Uint8Array<ArrayBuffer>;
  /** Redirects are not followed. */
  redirect: "manual";
  /** Aborts the request. */
  signal: AbortSignal;
}

/** The members of an answer that the client uses. */
export interface FetchAnswer {
  /** The HTTP status. */
  status: number;
  /** Looks up headers by their lower-case names. */
  headers: { get(name: string): string | null };
  /** Reads the whole body. */
  text(): Promise<string>;
  /** The body as a stream; only `streamEvents` needs it. */
  body?: AnswerBody | null;
}

/** A body as a stream, such as that of `fetch`. */
export interface AnswerBody {
  /** Returns a reader of the body. */
  getReader(): {
    /** Reads the next bytes. */
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    /** Stops reading. */
    cancel(): Promise<void>;
  };
}

/** Options of a transport. */
export interface TransportOptions {
  /**
   * The HTTP proxy, `http://user:password@host:port`, through which the service is reached (CONNECT); by default what
   * `HTTPS_PROXY` and `NO_PROXY` say.
   */
  proxy?: string;
}

/** A pool of connections with a partner's certificate. */
export interface Transport {
  /** Sends a request. */
  fetch: FetchLike;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Idle connections are closed before the server closes them, so that no request meets a closing one. */
const IDLE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** The parts of Deno that are used, so that only Node's types are needed. */
interface DenoLike {
  createHttpClient(options: {
    caCerts: string[];
    cert: string;
    key: string;
    poolIdleTimeout: number;
    proxy?: { url: string; basicAuth?: { username: string; password: string } };
  }): { close(): void };
}

/**
 * Opens a connection pool that presents the partner's certificate (Spec §5 Mutual TLS): undici's
 * `fetch` and `Agent` on Node, `Deno.createHttpClient` on Deno, `fetch` itself on Bun. `createClient` opens a pool itself
 * unless it gets a `fetch`, which can be built on this function.
 *
 * @param keys PEM: the authority of the service's certificate, the partner's certificate and its key
 * @throws {TypeError} if an engine holds the key, and this is not Node
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
export function openTransport(keys: TransportKeys, options: TransportOptions = {}): Transport {
  const { Deno: deno, Bun: bun } = globalThis as { Deno?: DenoLike; Bun?: unknown };
  if (!deno && !bun) return openNodeTransport(keys, options);
  if (keys.privateKeyEngine !== undefined) {
    throw new TypeError("only Node can use a private key in an OpenSSL engine");
  }
  return deno ? openDenoTransport(deno, keys, options) : openBunTransport(keys, options);
}

/** Uses Bun's own pool, in which undici's `Agent` would present no certificate. */
function openBunTransport(keys: TransportKeys, { proxy: chosen }: TransportOptions): Transport {
  const tls = tlsOptions(keys);
  return {
    fetch: (url, init) => {
      const proxy = proxyFor(url, chosen);
      return fetch(url, { ...init, tls, proxy } as RequestInit);
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Opens a pool on Deno, which trusts its default root certificates as well as the kit's `ca.crt`, and has no
 * option to leave them out. On Node the kit's CA is the only one.
 */
function openDenoTransport(
  deno: DenoLike,
  keys: TransportKeys,
  { proxy }: TransportOptions,
): Transport {
  const client = deno.createHttpClient({
    caCerts: [keys.caPem],
    cert: keys.certificatePem,
    key: keys.privateKeyPem,
    poolIdleTimeout: IDLE_MS,
    ...proxy !== undefined && { proxy: denoProxy(new URL(proxy)) },
  });
  return {
    fetch: (url, init) => fetch(url, { ...init, client } as RequestInit),
    close: () => Promise.resolve(client.close()),
  };
}

function denoProxy({ origin, username, password }: URL) {
  if (username === "") return { url: origin };
  const basicAuth = {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  return { url: origin, basicAuth };
}

function openNodeTransport(keys: TransportKeys, { proxy: chosen }: TransportOptions): Transport {
  // Imported on first use, because Deno does not need undici.
  let opening: Promise<Transport> | undefined;
  const open = async (): Promise<Transport> => {
    const { Agent, fetch: undiciFetch, Pool, ProxyAgent } = await import("undici");
    const { secureContextOf } = await import("./secure_context.ts");
    const connect = { secureContext: secureContextOf(keys), timeout: CONNECT_TIMEOUT_MS };
    const dispatcher = new Agent({
      connect,
      keepAliveTimeout: IDLE_MS,
      factory: (origin, options) => {
        const uri = proxyFor(origin, chosen);
        if (uri === undefined) return new Pool(origin, options);
        return new ProxyAgent({ uri, requestTls: connect, keepAliveTimeout: IDLE_MS });
      },
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
