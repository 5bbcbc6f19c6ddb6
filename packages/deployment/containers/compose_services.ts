import { dirname } from "node:path";
import { envoyArguments } from "@sabika/sidecar";
import {
  CONTAINER_OFFICE,
  CONTAINER_PLACES,
  CONTAINER_PLAN,
  containerSidecar,
  DATABASE_NAME,
  DATABASE_SOCKET,
} from "./container_plan.ts";
import { instanceSocket, placeFiles } from "../places.ts";
import {
  builtProgram,
  DELIVERY,
  OFFICE,
  OFFICE_PROGRAM,
  officeEnvironment,
  POSTGRESQL_SETTINGS,
  SERVER_PROGRAM,
  serverEnvironment,
} from "../services.ts";
import type { ComposeService } from "./compose_service.ts";
import { observabilityServices } from "./observability_services.ts";

/** Versions of the images that are not ours. */
const IMAGES = {
  postgresql: "postgres:18.4-bookworm",
  envoy: "envoyproxy/envoy:v1.40.0",
  k6: "grafana/k6:2.2.0",
} as const;

const PREPARE = "packages/deployment/containers/prepare.ts";
const OWN_IMAGE = { image: "sabika:1.0.0", build: { context: "." } };
/** The user of our image; Envoy runs as the same, so that it may use the instances' sockets. */
const USER = "10001:10001";

/** What every container is denied. */
const CONFINED = {
  read_only: true,
  cap_drop: ["ALL"],
  security_opt: ["no-new-privileges:true"],
  init: true,
  pids_limit: 256,
} as const;
/** How much each may take; an instance has one thread for requests and one for signatures. */
const SIZES = {
  postgresql: { cpus: 2, mem_limit: "2g" },
  server: { cpus: 2, mem_limit: "1g" },
  sidecar: { cpus: 2, mem_limit: "1g" },
  office: { cpus: 1, mem_limit: "512m" },
  job: { cpus: 1, mem_limit: "512m" },
} as const;
const TEMPORARY = ["/tmp:mode=1777,size=64m"];

/** The places as volumes, by the names that docker-compose.yml gives them. */
const VOLUMES: Record<string, string> = {
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

/** The networks beside the one that servers, sidecar and watchers are on: no partner's way leads there. */
export function composeNetworks(): Record<string, unknown> {
  return { [OFFICE]: {} };
}

/** All services of docker-compose.yml, made from what `npm run stack` runs. */
export function composeServices(): Record<string, ComposeService> {
  const jobs = {
    secrets: job("secrets", ["secrets", "database-secret"], {
      // It needs no network.
      network_mode: "none",
    }),
    postgresql: postgresql(),
    deployment: job(
      "deployment",
      [
        ...["secrets", "administration", "root", "database-secret:ro", "database-socket:ro"],
        ...["exporter", "sidecar", "admin", "authority", "partners"],
      ],
      { network_mode: "none", depends_on: { postgresql: HEALTHY } },
    ),
  };
  const servers = CONTAINER_PLAN.instances.map((name) => [name, server(name)] as const);
  return {
    ...jobs,
    ...Object.fromEntries(servers),
    // Others go first where the processor is short.
    [DELIVERY]: { ...server(DELIVERY), cpu_shares: 128 },
    sidecar: sidecar(),
    keeper: {
      ...job(
        "keep",
        [
          ...["secrets:ro", "administration:ro", "database-socket:ro", "sidecar", "admin"],
          ...["authority", "partners"],
        ],
        {
          network_mode: "none",
          depends_on: { deployment: DONE },
        },
      ),
      restart: "unless-stopped",
    },
    [OFFICE]: office(),
    operator: operator(),
    k6: k6(),
    ...observabilityServices({
      volumes: VOLUMES,
      shared: { user: USER, restart: "unless-stopped", tmpfs: TEMPORARY, ...CONFINED },
      healthTimes: HEALTH_TIMES,
      after: { deployment: DONE, sidecar: HEALTHY, prometheus: HEALTHY },
    }),
  };
}

/** The volumes; sockets live in memory and are gone with the containers. */
export function composeVolumes(): Record<string, unknown> {
  const inMemory = (owner: string) => ({
    driver_opts: { type: "tmpfs", device: "tmpfs", o: `size=1m,${owner}` },
  });
  const sockets: Record<string, unknown> = {
    // 999 is the user postgres of its image; whoever connects needs the password too.
    "database-socket": inMemory("uid=999,gid=999,mode=0755"),
    sockets: inMemory("uid=10001,gid=10001,mode=0700"),
    admin: inMemory("uid=10001,gid=10001,mode=0700"),
  };
  const names = ["database", "prometheus", ...Object.keys(VOLUMES)];
  return Object.fromEntries(names.map((name) => [name, sockets[name] ?? {}]));
}

const HEALTHY = { condition: "service_healthy" };
const DONE = { condition: "service_completed_successfully" };

/** A container of our own image. */
function own(volumes: string[], more: ComposeService): ComposeService {
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

function job(name: string, volumes: string[], more: ComposeService): ComposeService {
  return own(volumes, { command: ["node", builtProgram(PREPARE), name], ...more });
}

function postgresql(): ComposeService {
  const settings = {
    // Inside its own container, which is on no network: the server that the image runs while it
    // makes the database has it not, so whoever hears an answer there hears the one that stays.
    listen_addresses: "127.0.0.1",
    // The image's own first start needs the first, the instances the second.
    unix_socket_directories: `/var/run/postgresql,${DATABASE_SOCKET}`,
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    ...POSTGRESQL_SETTINGS,
  };
  return {
    image: IMAGES.postgresql,
    ...SIZES.postgresql,
    user: "postgres",
    command: [
      "postgres",
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    environment: {
      POSTGRES_USER: "sabika",
      POSTGRES_DB: DATABASE_NAME,
      POSTGRES_PASSWORD_FILE: placeFiles(CONTAINER_PLACES).databasePassword,
      // A password on the socket too: whoever mounts it has to know it.
      POSTGRES_INITDB_ARGS:
        "--auth-local=scram-sha-256 --auth-host=scram-sha-256 --encoding=UTF8 --no-locale",
    },
    network_mode: "none",
    depends_on: { secrets: DONE },
    volumes: [
      "database:/var/lib/postgresql",
      mount("database-secret:ro"),
      mount("database-socket"),
    ],
    tmpfs: [...TEMPORARY, "/var/run/postgresql:mode=1777,size=1m"],
    shm_size: "256m",
    stop_grace_period: "60s",
    stop_signal: "SIGINT",
    restart: "unless-stopped",
    healthcheck: {
      test: ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "sabika", "-d", DATABASE_NAME],
      ...HEALTH_TIMES,
    },
    ...CONFINED,
  };
}

const HEALTH_TIMES = { interval: "2s", timeout: "3s", retries: 30, start_period: "5s" };

function server(name: string): ComposeService {
  const isDelivery = name === DELIVERY;
  const at = isDelivery
    ? `port:${CONTAINER_PLAN.watchPort}`
    : `socketPath:"${instanceSocket(CONTAINER_PLACES, name)}"`;
  const sockets = isDelivery ? [] : ["sockets"];
  return own(["secrets:ro", "authority:ro", "database-socket:ro", ...sockets], {
    ...SIZES.server,
    command: ["node", builtProgram(SERVER_PROGRAM)],
    environment: serverEnvironment(CONTAINER_PLAN, name),
    depends_on: { deployment: DONE, postgresql: HEALTHY },
    // Longer than it drains and lets requests finish.
    stop_grace_period: "40s",
    restart: "unless-stopped",
    healthcheck: askedBy(`${at},path:"/ready"`),
  });
}

/** Whether what is asked, as Node's `http.get` takes it, answers 200. */
function askedBy(what: string): ComposeService {
  const ask = `require("http").get({${what}},` +
    `(a)=>process.exit(a.statusCode===200?0:1)).on("error",()=>process.exit(1))`;
  return { test: ["CMD", "node", "-e", ask], ...HEALTH_TIMES };
}

/** The operator's office: the network that it alone is on is not the sidecar's. */
function office(): ComposeService {
  const port = CONTAINER_OFFICE.listen.split(":").at(-1)!;
  return own(["secrets:ro", "administration:ro", "database-socket:ro"], {
    ...SIZES.office,
    command: ["node", builtProgram(OFFICE_PROGRAM)],
    environment: officeEnvironment(CONTAINER_PLAN, CONTAINER_OFFICE),
    networks: [OFFICE],
    ports: [`127.0.0.1:${port}:${port}`],
    depends_on: { deployment: DONE, postgresql: HEALTHY },
    stop_grace_period: "15s",
    restart: "unless-stopped",
    healthcheck: askedBy(`port:${port},path:"/live"`),
  });
}

function sidecar(): ComposeService {
  const { folder, watch } = containerSidecar();
  const port = watch.split(":").at(-1)!;
  const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && ` +
    `printf 'GET /ready HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3`;
  return {
    image: IMAGES.envoy,
    user: USER,
    ...SIZES.sidecar,
    entrypoint: ["/usr/local/bin/envoy"],
    command: envoyArguments(`${folder}/envoy.yaml`),
    ports: ["127.0.0.1:8443:8443", `127.0.0.1:${port}:${port}`],
    depends_on: Object.fromEntries(CONTAINER_PLAN.instances.map((name) => [name, HEALTHY])),
    volumes: ["sidecar:ro", "sockets:ro", "admin"].map(mount),
    tmpfs: TEMPORARY,
    restart: "unless-stopped",
    healthcheck: { test: ["CMD", "bash", "-c", ask], ...HEALTH_TIMES },
    ...CONFINED,
  };
}

/** `docker compose run --rm operator COMMAND`: kits are written where the first partner's is. */
function operator(): ComposeService {
  const files = placeFiles(CONTAINER_PLACES);
  // It may write the master keys' file, to put a new one there.
  return own(["secrets", "administration:ro", "database-socket:ro", "partners"], {
    profiles: ["operator"],
    entrypoint: ["node", builtProgram("packages/operator/main.ts")],
    command: ["--help"],
    environment: {
      SABIKA_DATABASE_URL_FILE: files.databaseUrl,
      SABIKA_MASTER_KEY_FILE: files.masterKey,
      SABIKA_DATA: dirname(CONTAINER_PLACES.partners),
      SABIKA_BASE_URL: CONTAINER_PLAN.baseUrl,
      SABIKA_ADMIN_ORIGIN: CONTAINER_OFFICE.origin,
    },
    network_mode: "none",
  });
}

/** `docker compose --profile load run --rm k6`: in the sidecar's network, so that the address is the kit's. */
function k6(): ComposeService {
  const kit = `${CONTAINER_PLACES.partners}/partner-1`;
  return {
    image: IMAGES.k6,
    user: USER,
    profiles: ["load"],
    command: ["run", "/app/loadtest/quote_order.ts"],
    environment: {
      SABIKA_KIT: kit,
      SSL_CERT_FILE: `${kit}/ca.crt`,
      SABIKA_SUMMARY: "/tmp/summary.json",
      K6_NO_USAGE_REPORT: "true",
    },
    network_mode: "service:sidecar",
    depends_on: { sidecar: HEALTHY },
    volumes: [
      mount("partners:ro"),
      "./loadtest:/app/loadtest:ro",
      ...["canonical", "jws", "protocol"].map((name) =>
        `./packages/${name}:/app/packages/${name}:ro`
      ),
    ],
    tmpfs: TEMPORARY,
    ...CONFINED,
  };
}

function mount(volume: string): string {
  const [name = "", mode] = volume.split(":");
  return [name, VOLUMES[name], ...(mode === undefined ? [] : [mode])].join(":");
}
