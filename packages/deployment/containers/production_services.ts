import { dirname } from "node:path";
import { DONE, job, own, SOCKET_VOLUMES } from "./compose_parts.ts";
import type { ComposeService } from "./compose_service.ts";
import { CONTAINER_PLACES, productionPlan, SERVER } from "./container_plan.ts";
import { placeFiles } from "../places.ts";
import { builtProgram, DELIVERY, OFFICE } from "../services.ts";
import { office } from "./office_service.ts";
import { delivery, instances, keeper, sidecar } from "./server_services.ts";

const OPERATOR_PROGRAM = "packages/operator/main.ts";

/** What the site says, filled in by compose; it refuses to start without the address. */
const BASE_URL =
  "${SABIKA_BASE_URL:?the address that partners call, such as https://api.bank.example}";
/** Its certificate and key are given beside the operator's URL. */
const OFFICE_AT = {
  origin: "https://${OFFICE_HOST:-localhost:9443}",
  listen: "0.0.0.0:9443",
};
const GIVEN = "${SECRETS_FOLDER:-./secrets}";
/** The folders that the site fills, by the place where each is seen. */
const GIVEN_FOLDERS: Record<string, string> = {
  secrets: `${GIVEN}/server`,
  root: `${GIVEN}/owner`,
  administration: `${GIVEN}/operator`,
};
const NAMED_VOLUMES = ["sidecar", "sockets", "admin", "partners"];

/**
 * All services of docker-compose.production.yml: those of docker-compose.yml without all that the
 * sandbox makes up. No secret, partner, price or gold is made, and the database is one of the site's.
 */
export function productionServices(): Record<string, ComposeService> {
  const plan = productionPlan(BASE_URL);
  const files = placeFiles(CONTAINER_PLACES);
  const site = { SABIKA_ENVIRONMENT: plan.environment, SABIKA_BASE_URL: plan.baseUrl };
  const around = { after: { deployment: DONE }, volumes: [] };
  const services: Record<string, ComposeService> = {
    migrate: own(["secrets:ro", "root:ro"], {
      command: ["node", builtProgram(OPERATOR_PROGRAM), "migrate", "--yes"],
      environment: {
        SABIKA_ENVIRONMENT: plan.environment,
        SABIKA_OWNER_DATABASE_URL_FILE: files.ownerDatabaseUrl,
        SABIKA_MASTER_KEY_FILE: files.masterKey,
      },
    }),
    deployment: job(
      "sidecar",
      ["secrets:ro", "administration:ro", "sidecar", "sockets:ro", "admin"],
      { environment: site, depends_on: { migrate: DONE } },
    ),
    [SERVER]: instances(plan, around),
    [DELIVERY]: delivery(plan, around),
    keeper: { ...keeper(around), environment: site },
    // On the machine's own network: elsewhere it would see Docker's address in place of the caller's.
    sidecar: sidecar({ network_mode: "host" }),
    [OFFICE]: {
      ...office(plan, { at: OFFICE_AT, after: { migrate: DONE }, volumes: [] }),
      profiles: ["office"],
    },
    operator: own(["secrets", "administration:ro", "partners"], {
      profiles: ["operator"],
      entrypoint: ["node", builtProgram(OPERATOR_PROGRAM)],
      command: ["--help"],
      environment: {
        ...site,
        SABIKA_DATABASE_URL_FILE: files.databaseUrl,
        SABIKA_MASTER_KEY_FILE: files.masterKey,
        SABIKA_ADMIN_ORIGIN: OFFICE_AT.origin,
        SABIKA_DATA: dirname(CONTAINER_PLACES.partners),
      },
    }),
  };
  return Object.fromEntries(
    Object.entries(services).map(([name, service]) => [name, withGivenFolders(service)]),
  );
}

/** Its volumes: what the site gives is in folders of its own. */
export function productionVolumes(): Record<string, unknown> {
  const sockets: Record<string, unknown> = SOCKET_VOLUMES;
  return Object.fromEntries(NAMED_VOLUMES.map((name) => [name, sockets[name] ?? {}]));
}

function withGivenFolders(service: ComposeService): ComposeService {
  const volumes = (service["volumes"] as string[]).map((volume) => {
    const [name = ""] = volume.split(":");
    const folder = GIVEN_FOLDERS[name];
    return folder === undefined ? volume : `${folder}${volume.slice(name.length)}`;
  });
  return { ...service, volumes };
}
