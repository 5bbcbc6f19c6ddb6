import { Document, isMap, type Scalar } from "yaml";
import { composeServices, composeVolumes } from "./compose_services.ts";
import { OFFICE_NETWORKS } from "./office_service.ts";
import { productionServices, productionVolumes } from "./production_services.ts";

const HEADING = ` The production shape in containers: what "npm run stack" runs on one machine.

   docker compose up                              everything, at https://127.0.0.1:8443
   docker compose up --scale server=3             with three instances in place of two
   docker compose cp deployment:/var/lib/sabika/partners .   the partner's kit
   docker compose run --rm operator partner list  the operator's command
   docker compose run --rm operator operator link amal    a way into the console, http://localhost:9443
   docker compose --profile load run --rm k6      load
   docker compose --profile watching up           with Prometheus (9090) and Grafana (3000)

 Made from packages/deployment/containers/compose_services.ts by
 "node tools/run.mjs packages/deployment/containers/render_compose_main.ts": change it there, not here.
 docs/deployment.md explains the parts.`;

const PRODUCTION_HEADING =
  ` Production in containers, on a PostgreSQL of yours: docs/deployment.md says what has to be there first.

   export SABIKA_BASE_URL=https://api.bank.example  what partners call
   export SECRETS_FOLDER=./secrets                  folders server, owner and operator with files of secrets
   export COMPOSE_FILE=docker-compose.production.yml
   docker compose up -d --scale server=3
   docker compose run --rm operator partner list    the operator's command

 Made from packages/deployment/containers/production_services.ts by
 "node tools/run.mjs packages/deployment/containers/render_compose_main.ts": change it there, not here.`;

/** Why a service is there; in production, where that is another reason, by its name and a mark. */
const REASONS: Record<string, string> = {
  migrate: " Before each start: the schema of this release, as the database's owner.",
  "deployment production": " What the sidecar reads, of the register as it is.",
  secrets:
    " Makes master key, edge secret and database password at the first start: there are no defaults.",
  postgresql: " Others reach it on its socket alone; it is on no network.",
  deployment:
    " Before each start: migrations, authority, partner, and the sidecar's configuration.",
  server:
    " Instances of the service, on sockets that only the sidecar mounts; any number by --scale.",
  delivery: " Delivers the webhooks, beside the instances that answer partners.",
  sidecar: " The only way in: Envoy with mutual TLS.",
  keeper: " Keeps the sidecar's revocation lists and certificate fresh, and its list of instances.",
  office: " The operator's office with its console, at http://localhost:9443 of this machine.",
  "office production": " The operator's office with its console; with --profile office.",
  operator: " The operator's command; only when it is run.",
  k6: " Load; only when it is run.",
  "postgres-exporter": " Figures of the database for Prometheus; with --profile watching.",
  prometheus:
    " Scrapes servers, sidecar and database, and looks at the alerts; with --profile watching.",
  grafana: " The dashboard, for whoever is on this machine; with --profile watching.",
};

/** The files at the repository's root, by name. */
export function composeFiles(): Record<string, string> {
  return {
    "docker-compose.yml": render(HEADING, composeServices(), composeVolumes()),
    "docker-compose.production.yml": render(
      PRODUCTION_HEADING,
      productionServices(),
      productionVolumes(),
      "production",
    ),
  };
}

function render(heading: string, services: object, volumes: object, mark = ""): string {
  // Compose reads the YAML of either version, where `off` without quotes is text or is not.
  const document = new Document({ services, networks: OFFICE_NETWORKS, volumes }, {
    aliasDuplicateObjects: false,
    version: "1.1",
  });
  // Without empty lines inside: the library would not comment those out.
  document.commentBefore = heading.replaceAll("\n\n", "\n \n");
  const entries = document.get("services");
  if (isMap<Scalar<string>>(entries)) {
    for (const [index, { key }] of entries.items.entries()) {
      const reason = REASONS[`${key.value} ${mark}`] ?? REASONS[key.value];
      if (reason !== undefined) key.commentBefore = reason;
      key.spaceBefore = index > 0;
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
