import type { CallerReaders } from "../call/peer.ts";
import { watchEdgeSecrets } from "./edge_secrets.ts";
import type { Listener } from "./http_server.ts";
import { listenSidecar, type SidecarListen } from "./listen_sidecar.ts";
import { listenTls, type TlsListen } from "./listen_tls.ts";
import { peerOfSidecar, requestIdOfSidecar } from "./peer_of_sidecar.ts";
import { peerOfTls } from "./peer_of_tls.ts";
import type { Application } from "./request_listener.ts";
import type { Unreadable } from "./unreadable.ts";

/** The ways to listen for partners: with our own mutual TLS, or behind the sidecar. */
export type Listen = TlsListen | SidecarListen;

/** How to listen for partners, and the application that serves them. */
export interface ListenParts {
  readonly listen: Listen;
  /** Needed behind the sidecar; otherwise `https://127.0.0.1:<port>` by default. */
  readonly baseUrl?: string | undefined;
  /** Creates the application, once the base URL and the way to recognise callers are known. */
  readonly appFor: (readers: CallerReaders & { readonly baseUrl: string }) => Application;
  readonly unreadable: Unreadable;
  readonly isReady: () => Promise<boolean>;
  readonly onError: (name: string, error: unknown) => void;
}

/** Listens for partners; throws a TypeError without a base URL behind the sidecar, else as `listenOn`. */
export async function listenForPartners(
  { listen, baseUrl, appFor, unreadable, isReady, onError }: ListenParts,
): Promise<Listener & { readonly baseUrl: string }> {
  if (listen.kind === "tls") {
    // Port 0 only becomes a real port now, and the base URL that partners sign contains it.
    const baseUrlAt = (port: number) => baseUrl ?? `https://127.0.0.1:${port}`;
    const appAt = (port: number) =>
      appFor({ baseUrl: baseUrlAt(port), readPeer: peerOfTls, readRequestId: () => undefined });
    const listener = await listenTls(listen, appAt, unreadable);
    return { ...listener, baseUrl: baseUrlAt(listener.port!) };
  }
  if (baseUrl === undefined) throw new TypeError("a base URL is required behind the sidecar");
  const edgeSecrets = await watchEdgeSecrets(listen.edgeSecretFile, {
    onError: (error) => onError("edge_secrets", error),
  });
  try {
    const app = appFor({
      baseUrl,
      readPeer: peerOfSidecar(edgeSecrets.knows),
      readRequestId: requestIdOfSidecar,
    });
    const listener = await listenSidecar(listen, app, unreadable, isReady);
    const close = async (patienceMs: number) => {
      await listener.close(patienceMs);
      edgeSecrets.close();
    };
    return { baseUrl, port: listener.port, close };
  } catch (error) {
    edgeSecrets.close();
    throw error;
  }
}
