import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { secureContextOf } from "./secure_context.ts";
import type { TransportKeys } from "./transport_keys.ts";

/** TLS alerts by which a server refuses a client's certificate, as Node and Deno name them. */
const REFUSAL =
  /ALERT_(CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN)|BAD_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|UNSUPPORTED_CERTIFICATE)|fatal alert: (CertificateRequired|CertificateExpired|CertificateRevoked|CertificateUnknown|BadCertificate|UnknownCa|UnknownCA|AccessDenied|UnsupportedCertificate)/;

/** Errors about a server's certificate that the kit's CA has not issued, or that is for another name. */
const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_(HAS_EXPIRED|NOT_YET_VALID|SIGNATURE_FAILURE)|ERR_TLS_CERT_ALTNAME_INVALID|invalid peer certificate/;

/** The reason why a connection failed; `unclear`: perhaps because the certificate was refused. */
export type ConnectionTrouble = "certificate_refused" | "server_untrusted" | "unclear" | "other";

/**
 * Finds out why `fetch` failed. With TLS 1.3 a server refuses a certificate only after the client has
 * completed the handshake, so Node often reports just `other side closed`: the result is `unclear`.
 */
export function readConnectionError(error: unknown): ConnectionTrouble {
  let text = "";
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    text += ` ${(e as { code?: string }).code ?? ""} ${e.message}`;
  }
  if (REFUSAL.test(text)) return "certificate_refused";
  if (UNTRUSTED.test(text)) return "server_untrusted";
  if (
    /other side closed|ECONNRESET|EPIPE|close_notify|connection closed|reset by peer|SendRequest|TLS handshake failed/i
      .test(text)
  ) {
    return "unclear";
  }
  return "other";
}

/** How long to wait for the handshake and a refusal after it. */
const WATCH_MS = 2_000;

/**
 * Finds out whether a server refuses the kit's certificate, by completing a handshake and sending nothing: a
 * server that accepts it waits for a request, otherwise it closes the connection. False without a handshake.
 *
 * @param proxy the proxy through which the server is reached, if there is one
 */
export async function isCertificateRefused(
  baseUrl: string,
  keys: TransportKeys,
  proxy: string | undefined,
): Promise<boolean> {
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? 443 : Number(url.port);
  let tunnel: Duplex | undefined;
  if (proxy !== undefined) {
    tunnel = await openTunnel(proxy, `${url.hostname}:${port}`).catch(() => undefined);
    if (tunnel === undefined) return false;
  }
  return await new Promise((resolve) => {
    let greeted = false;
    const socket = connect({
      host,
      port,
      socket: tunnel,
      // RFC 6066 §3: a server name is not an IP address.
      servername: /^[\d.]+$|:/.test(host) ? "" : host,
      secureContext: secureContextOf(keys),
    });
    const end = (refused: boolean) => {
      clearTimeout(watch);
      socket.destroy();
      resolve(refused);
    };
    const watch = setTimeout(() => end(false), WATCH_MS);
    socket.on("secureConnect", () => greeted = true);
    socket.on("error", (error) => {
      if (readConnectionError(error) === "certificate_refused") end(true);
      else if (!greeted) end(false);
    });
    socket.on("close", () => end(greeted));
    socket.resume();
  });
}

/** Opens a connection through a proxy (RFC 9110 §9.3.6). */
async function openTunnel(proxy: string, target: string): Promise<Duplex | undefined> {
  const { Client } = await import("undici");
  const { origin, username, password } = new URL(proxy);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const { statusCode, socket } = await new Client(origin).connect({
    path: target,
    headers: {
      host: target,
      ...username !== "" && { "proxy-authorization": `Basic ${btoa(user)}` },
    },
  });
  if (statusCode === 200) return socket;
  socket.destroy();
  return undefined;
}
