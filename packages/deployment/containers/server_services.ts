import { envoyArguments, sidecarFolders } from "@sabika/sidecar";
import {
  askedBy,
  CONFINED,
  HEALTH_TIMES,
  HEALTHY,
  job,
  mount,
  own,
  SIZES,
  TEMPORARY,
  USER,
} from "./compose_parts.ts";
import type { ComposeService } from "./compose_service.ts";
import { CONTAINER_PLACES, REPLICAS, SERVER, SIDECAR_PORTS } from "./container_plan.ts";
import {
  builtProgram,
  DELIVERY,
  type DeploymentPlan,
  SERVER_PROGRAM,
  serverEnvironment,
} from "../services.ts";

const ENVOY = "envoyproxy/envoy:v1.40.0";

/** What differs between the services of the two files. */
export interface Surrounded {
  /** What it waits for, as `depends_on` has it. */
  after: Record<string, object>;
  /** What it sees beside what it always does, as `name` or `name:ro`. */
  volumes: string[];
}

/** The instances: each socket is named after its container, so that there may be as many as are wanted. */
export function instances(plan: DeploymentPlan, surrounded: Surrounded): ComposeService {
  const { sockets } = CONTAINER_PLACES;
  const { SABIKA_LISTEN: _, ...environment } = serverEnvironment(plan, SERVER);
  // Compose takes one dollar sign for its own.
  const listen = `SABIKA_LISTEN=unix:${sockets}/$$HOSTNAME.sock`;
  return {
    ...server(`socketPath:"${sockets}/"+require("os").hostname()+".sock"`, {
      ...surrounded,
      volumes: [...surrounded.volumes, "sockets"],
    }),
    command: ["sh", "-c", `export ${listen} && exec node ${builtProgram(SERVER_PROGRAM)}`],
    environment,
    deploy: { replicas: REPLICAS },
  };
}

/** Delivers the webhooks. */
export function delivery(plan: DeploymentPlan, surrounded: Surrounded): ComposeService {
  return {
    ...server(`port:${plan.watchPort}`, surrounded),
    command: ["node", builtProgram(SERVER_PROGRAM)],
    environment: serverEnvironment(plan, DELIVERY),
    // Others go first where the processor is short.
    cpu_shares: 128,
  };
}

/** @param at where it answers whether it is ready, as Node's `http.get` takes it */
function server(at: string, { after, volumes }: Surrounded): ComposeService {
  return own(["secrets:ro", ...volumes], {
    ...SIZES.server,
    depends_on: after,
    // Longer than it drains and lets requests finish.
    stop_grace_period: "40s",
    restart: "unless-stopped",
    healthcheck: askedBy("http", `${at},path:"/ready"`),
  });
}

/** Keeps what the sidecar reads; healthy as soon as it has told the sidecar of an instance. */
export function keeper({ after, volumes }: Surrounded): ComposeService {
  const list = sidecarFolders(CONTAINER_PLACES.sidecar).instances;
  return {
    ...job("keep", [
      ...["secrets:ro", "administration:ro", "sidecar", "sockets:ro", "admin"],
      ...volumes,
    ], { depends_on: after }),
    restart: "unless-stopped",
    healthcheck: { test: ["CMD", "grep", "-q", "sock", list], ...HEALTH_TIMES },
  };
}

/** Envoy. */
export function sidecar(more: ComposeService): ComposeService {
  const ask = `exec 3<>/dev/tcp/127.0.0.1/${SIDECAR_PORTS.watch} && ` +
    `printf 'GET /ready HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3`;
  return {
    image: ENVOY,
    user: USER,
    ...SIZES.sidecar,
    entrypoint: ["/usr/local/bin/envoy"],
    command: envoyArguments(sidecarFolders(CONTAINER_PLACES.sidecar).configuration),
    ...more,
    depends_on: { [SERVER]: HEALTHY, keeper: HEALTHY },
    volumes: ["sidecar:ro", "sockets:ro", "admin"].map(mount),
    tmpfs: TEMPORARY,
    restart: "unless-stopped",
    healthcheck: { test: ["CMD", "bash", "-c", ask], ...HEALTH_TIMES },
    ...CONFINED,
  };
}
