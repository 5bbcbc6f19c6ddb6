import { CONTAINER_PLACES, DATABASE_SOCKET } from "./container_plan.ts";
import { builtProgram } from "../services.ts";
import type { ComposeService } from "./compose_service.ts";

const PREPARE = "packages/deployment/containers/prepare.ts";
const OWN_IMAGE = { image: "sabika:1.0.0", build: { context: "." } };
/** The user of our image; Envoy runs as the same, so that it may use the instances' sockets. */
export const USER = "10001:10001";

/** What every container is denied. */
export const CONFINED = {
  read_only: true,
  cap_drop: ["ALL"],
  security_opt: ["no-new-privileges:true"],
  init: true,
  pids_limit: 256,
} as const;
/** How much each may take; an instance has one thread for requests and one for signatures. */
export const SIZES = {
  postgresql: { cpus: 2, mem_limit: "2g" },
  server: { cpus: 2, mem_limit: "1g" },
  sidecar: { cpus: 2, mem_limit: "1g" },
  office: { cpus: 1, mem_limit: "512m" },
  job: { cpus: 1, mem_limit: "512m" },
} as const;
export const TEMPORARY = ["/tmp:mode=1777,size=64m"];

/** The places as volumes, by the names that docker-compose.yml gives them. */
export const VOLUMES: Record<string, string> = {
  secrets: CONTAINER_PLACES.secrets,
  administration: CONTAINER_PLACES.administration,
  root: CONTAINER_PLACES.root,
  "database-secret": CONTAINER_PLACES.databaseSecret,
  exporter: CONTAINER_PLACES.exporter,
  "database-socket": DATABASE_SOCKET,
  sidecar: CONTAINER_PLACES.sidecar,
  sockets: CONTAINER_PLACES.sockets,
  admin: CONTAINER_PLACES.adminSocket,
  authority: CONTAINER_PLACES.authority,
  partners: CONTAINER_PLACES.partners,
};

export const HEALTHY = { condition: "service_healthy" };
export const DONE = { condition: "service_completed_successfully" };
export const HEALTH_TIMES = { interval: "2s", timeout: "3s", retries: 30, start_period: "5s" };

/** Whether what is asked, as `get` of Node's `http` or `https` takes it, answers 200. */
export function askedBy(protocol: "http" | "https", what: string): ComposeService {
  const ask = `require("${protocol}").get({${what}},` +
    `(a)=>process.exit(a.statusCode===200?0:1)).on("error",()=>process.exit(1))`;
  return { test: ["CMD", "node", "-e", ask], ...HEALTH_TIMES };
}

/** A volume that lives in memory and is gone with the containers that mount it. */
export function inMemory(owner: string) {
  return { driver_opts: { type: "tmpfs", device: "tmpfs", o: `size=1m,${owner}` } };
}

/** The volumes of sockets between our containers. */
export const SOCKET_VOLUMES = {
  sockets: inMemory("uid=10001,gid=10001,mode=0700"),
  admin: inMemory("uid=10001,gid=10001,mode=0700"),
};

/** A container of our own image. */
export function own(volumes: string[], more: ComposeService): ComposeService {
  return {
    ...OWN_IMAGE,
    user: USER,
    ...SIZES.job,
    ...more,
    volumes: volumes.map(mount),
    tmpfs: TEMPORARY,
    ...CONFINED,
  };
}

/** A job of `prepare.ts`. */
export function job(name: string, volumes: string[], more: ComposeService): ComposeService {
  return own(volumes, { command: ["node", builtProgram(PREPARE), name], ...more });
}

/** Of `name` or `name:ro` the volume where its place is. */
export function mount(volume: string): string {
  const [name = "", mode] = volume.split(":");
  return [name, VOLUMES[name], ...(mode === undefined ? [] : [mode])].join(":");
}
