import { dirname } from "node:path";
import {
  CONFINED,
  DONE,
  HEALTH_TIMES,
  HEALTHY,
  inMemory,
  job,
  mount,
  own,
  SIZES,
  SOCKET_VOLUMES,
  TEMPORARY,
  USER,
  VOLUMES,
} from "./compose_parts.ts";
import {
  CONTAINER_OFFICE,
  CONTAINER_PLACES,
  CONTAINER_PLAN,
  DATABASE_NAME,
  DATABASE_SOCKET,
  SERVER,
  SIDECAR_PORTS,
} from "./container_plan.ts";
import { placeFiles } from "../places.ts";
import { builtProgram, DELIVERY, OFFICE, POSTGRESQL_SETTINGS } from "../services.ts";
import type { ComposeService } from "./compose_service.ts";
import { observabilityServices } from "./observability_services.ts";
import { office } from "./office_service.ts";
import { delivery, instances, keeper, sidecar } from "./server_services.ts";

/** Versions of the images that are not ours. */
const IMAGES = { postgresql: "postgres:18.4-bookworm", k6: "grafana/k6:2.2.0" } as const;

/** All services of docker-compose.yml, made from what `npm run stack` runs. */
export function composeServices(): Record<string, ComposeService> {
  const around = {
    after: { deployment: DONE, postgresql: HEALTHY },
    volumes: ["authority:ro", "database-socket:ro"],
  };
  return {
    secrets: job("secrets", ["secrets", "database-secret"], {
      // It needs no network.
      network_mode: "none",
    }),
    postgresql: postgresql(),
    deployment: job(
      "deployment",
      [
        ...["secrets", "administration", "root", "database-secret:ro", "database-socket:ro"],
        ...["exporter", "sidecar", "sockets:ro", "admin", "authority", "partners"],
      ],
      { network_mode: "none", depends_on: { postgresql: HEALTHY } },
    ),
    [SERVER]: instances(CONTAINER_PLAN, around),
    [DELIVERY]: delivery(CONTAINER_PLAN, around),
    keeper: {
      ...keeper({
        after: { deployment: DONE },
        volumes: ["database-socket:ro", "authority", "partners"],
      }),
      network_mode: "none",
    },
    sidecar: sidecar({
      ports: Object.values(SIDECAR_PORTS).map((port) => `127.0.0.1:${port}:${port}`),
    }),
    [OFFICE]: office(CONTAINER_PLAN, {
      at: CONTAINER_OFFICE,
      after: { postgresql: HEALTHY },
      volumes: ["database-socket:ro"],
    }),
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
  const sockets: Record<string, unknown> = {
    // 999 is the user postgres of its image; whoever connects needs the password too.
    "database-socket": inMemory("uid=999,gid=999,mode=0755"),
    ...SOCKET_VOLUMES,
  };
  const names = ["database", "prometheus", ...Object.keys(VOLUMES)];
  return Object.fromEntries(names.map((name) => [name, sockets[name] ?? {}]));
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
