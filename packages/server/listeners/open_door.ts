import { type App, type AppParts, createApp } from "../app.ts";
import type { ServiceSettings } from "../settings.ts";
import { type EdgeSecrets, watchEdgeSecrets } from "./edge_secrets.ts";
import type { Unreadable } from "./http_server.ts";
import { listenSidecar } from "./listen_sidecar.ts";
import { type Listener, listenTls } from "./listen_tls.ts";
import { peerOfSidecar, requestIdOfSidecar } from "./peer_of_sidecar.ts";
import { peerOfTls } from "./peer_of_tls.ts";

/** What the two ways of listening need beside the application's parts. */
export interface DoorParts {
  readonly unreadable: Unreadable;
  readonly isReady: () => Promise<boolean>;
  readonly onError: (name: string, error: unknown) => void;
}

/** An open door, and the address that partners know it by. */
export interface OpenDoor {
  readonly baseUrl: string;
  readonly port: number | undefined;
  close(patienceMs: number): Promise<void>;
}

/** Listens in the way that the settings say: behind the sidecar, or with its own mutual TLS. */
export async function openDoor(
  { listen, baseUrl }: Pick<ServiceSettings, "listen" | "baseUrl">,
  common: Omit<AppParts, "baseUrl" | "readPeer" | "readRequestId">,
  { unreadable, isReady, onError }: DoorParts,
): Promise<OpenDoor> {
  if (listen.kind === "tls") {
    // Port 0 becomes a real one only now, and partners sign the base URL with it.
    const baseUrlAt = (port: number) => baseUrl ?? `https://127.0.0.1:${port}`;
    const appFor = (port: number): App =>
      createApp({
        ...common,
        baseUrl: baseUrlAt(port),
        readPeer: peerOfTls,
        readRequestId: () => undefined,
      });
    const listener = await listenTls(listen, appFor, unreadable);
    return { ...listener, baseUrl: baseUrlAt(listener.port!) };
  }
  if (baseUrl === undefined) throw new TypeError("behind the sidecar a base URL is needed");
  const edgeSecrets = await watchEdgeSecrets(listen.edgeSecretFile, {
    onError: (error) => onError("edge_secrets", error),
  });
  try {
    const app = createApp({
      ...common,
      baseUrl,
      readPeer: peerOfSidecar(edgeSecrets.knows),
      readRequestId: requestIdOfSidecar,
    });
    const listener = await listenSidecar(listen, app, unreadable, isReady);
    return { baseUrl, port: listener.port, close: closeBoth(listener, edgeSecrets) };
  } catch (error) {
    edgeSecrets.close();
    throw error;
  }
}

function closeBoth(listener: Listener, edgeSecrets: EdgeSecrets): OpenDoor["close"] {
  return async (patienceMs) => {
    await listener.close(patienceMs);
    edgeSecrets.close();
  };
}
