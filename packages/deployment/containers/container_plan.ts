import type { Places } from "../places.ts";
import { type DeploymentPlan, type OfficePlan, sidecarSettings } from "../services.ts";
import { DEFAULT_LIMITS, type SidecarSettings } from "@sabika/sidecar";

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

/** The service of docker-compose.yml whose containers are the instances, and how many there are unless `--scale` says. */
export const SERVER = "server";
export const REPLICAS = 2;

/** The same shape as `npm run stack`, in containers. */
export const CONTAINER_PLAN: DeploymentPlan = {
  environment: "sandbox",
  baseUrl: "https://127.0.0.1:8443",
  // They come and go: each has a socket named after its container.
  instances: [],
  databaseConnections: 8,
  // Envoy asks twice a second whether an instance is ready: by then it has turned away.
  drainSeconds: 3,
  watchPort: 9464,
  office: CONTAINER_OFFICE,
  places: CONTAINER_PLACES,
};

/** Where partners reach the sidecar, and who watches it. */
export const SIDECAR_PORTS = { listen: 8443, watch: 9902 } as const;

/** The sidecar's settings in its container, on a network of the containers' own. */
export function containerSidecar(): SidecarSettings {
  return sidecarSettings(CONTAINER_PLAN, {
    listen: `0.0.0.0:${SIDECAR_PORTS.listen}`,
    watch: `0.0.0.0:${SIDECAR_PORTS.watch}`,
    ...LOGS,
  });
}

/** The same for partners that are real, at the address that they call. */
export function productionPlan(baseUrl: string): DeploymentPlan {
  return { ...CONTAINER_PLAN, environment: "production", baseUrl, office: undefined };
}

/** The sidecar's settings in production: on the machine's network, with the limits of production. */
export function productionSidecar(plan: DeploymentPlan): SidecarSettings {
  const settings = sidecarSettings(plan, {
    listen: `0.0.0.0:${SIDECAR_PORTS.listen}`,
    watch: `127.0.0.1:${SIDECAR_PORTS.watch}`,
    ...LOGS,
  });
  return { ...settings, serverNames: [new URL(plan.baseUrl).hostname], limits: DEFAULT_LIMITS };
}

const LOGS = { accessLog: "stdout", tlsLog: "stdout" };

/** The database's URL, over its socket. */
export function containerDatabaseUrl(password: string): string {
  const host = encodeURIComponent(DATABASE_SOCKET);
  return `postgres://sabika:${password}@/${DATABASE_NAME}?host=${host}`;
}
