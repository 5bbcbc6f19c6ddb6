import type { Places } from "../places.ts";
import { type DeploymentPlan, sidecarSettings } from "../services.ts";
import { DEFAULT_LIMITS, type SidecarSettings } from "@sabika/sidecar";

/** The places inside every container that mounts them. */
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
  revocations: "/var/lib/sabika/revocations",
  snapshots: "/var/lib/sabika/snapshots",
};

/** The folder of PostgreSQL's socket; PostgreSQL listens on no port. */
const DATABASE_SOCKET = "/run/sabika/database";
const DATABASE_NAME = "sabika";

/** The plan of docker-compose.yml: what `npm run stack` starts, in containers. */
export const CONTAINER_PLAN: DeploymentPlan = {
  environment: "sandbox",
  baseUrl: "https://127.0.0.1:8443",
  // Instances come and go; each has a socket named after its container.
  instances: [],
  databaseConnections: 8,
  // Envoy asks twice a second whether an instance is ready, so by then it sends nothing more.
  drainSeconds: 3,
  watchPort: 9464,
  places: CONTAINER_PLACES,
};

/** Returns the sidecar's settings in its container, on the containers' own network. */
export function containerSidecar(): SidecarSettings {
  return sidecarOf(CONTAINER_PLAN, "0.0.0.0:9902");
}

/** Returns the plan of docker-compose.production.yml; `baseUrl` is the address that partners call. */
export function productionPlan(baseUrl: string): DeploymentPlan {
  return { ...CONTAINER_PLAN, environment: "production", baseUrl };
}

/** Returns the sidecar's settings in production: on the machine's network, with the default limits. */
export function productionSidecar(plan: DeploymentPlan): SidecarSettings {
  return {
    ...sidecarOf(plan, "127.0.0.1:9902"),
    serverNames: [new URL(plan.baseUrl).hostname],
    limits: DEFAULT_LIMITS,
  };
}

/** @param watch where its statistics are read, as `host:port` */
function sidecarOf(plan: DeploymentPlan, watch: string): SidecarSettings {
  const logs = { accessLog: "stdout", tlsLog: "stdout" };
  return sidecarSettings(plan, { listen: "0.0.0.0:8443", watch, ...logs });
}

/** Returns the database's URL over its socket; `password` must need no percent-encoding. */
export function containerDatabaseUrl(password: string): string {
  const host = encodeURIComponent(DATABASE_SOCKET);
  return `postgres://sabika:${password}@/${DATABASE_NAME}?host=${host}`;
}
