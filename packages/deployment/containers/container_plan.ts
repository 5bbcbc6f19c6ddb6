import type { Places } from "../places.ts";
import { type DeploymentPlan, type OfficePlan, sidecarSettings } from "../services.ts";
import type { SidecarSettings } from "@sabika/sidecar";

/** Where the places are inside of every container that mounts them. */
export const CONTAINER_PLACES: Places = {
  secrets: "/var/lib/sabika/secrets",
  administration: "/var/lib/sabika/administration",
  root: "/var/lib/sabika/root",
  databaseSecret: "/var/lib/sabika/database-secret",
  exporter: "/var/lib/sabika/exporter",
  sidecar: "/var/lib/sabika/sidecar",
  sockets: "/run/sabika/sockets",
  adminSocket: "/run/sabika/admin",
  authority: "/var/lib/sabika/authority",
  partners: "/var/lib/sabika/partners",
};

/** Where PostgreSQL's socket is. It listens on no port. */
export const DATABASE_SOCKET = "/run/sabika/database";
export const DATABASE_NAME = "sabika";

/** On a network of its own, which this machine's browsers reach at the port that is published. */
export const CONTAINER_OFFICE: OfficePlan = {
  origin: "http://localhost:9443",
  listen: "0.0.0.0:9443",
};

/** The same shape as `npm run stack`, in containers. */
export const CONTAINER_PLAN: DeploymentPlan = {
  environment: "sandbox",
  baseUrl: "https://127.0.0.1:8443",
  instances: ["server-1", "server-2"],
  databaseConnections: 8,
  // Envoy asks twice a second whether an instance is ready: by then it has turned away.
  drainSeconds: 3,
  watchPort: 9464,
  office: CONTAINER_OFFICE,
  places: CONTAINER_PLACES,
};

/** The sidecar's settings in its container. */
export function containerSidecar(): SidecarSettings {
  return sidecarSettings(CONTAINER_PLAN, {
    listen: "0.0.0.0:8443",
    watch: "0.0.0.0:9902",
    accessLog: "stdout",
    tlsLog: "stdout",
  });
}

/** The database's URL, over its socket. */
export function containerDatabaseUrl(password: string): string {
  const host = encodeURIComponent(DATABASE_SOCKET);
  return `postgres://sabika:${password}@/${DATABASE_NAME}?host=${host}`;
}
