import { Document, isMap, type Scalar } from "yaml";
import { composeNetworks, composeServices, composeVolumes } from "./compose_services.ts";

const HEADING = ` The production shape in containers: what "npm run stack" runs on one machine.

   docker compose up                              everything, at https://127.0.0.1:8443
   docker compose cp deployment:/var/lib/sabika/partners .   the partner's kit
   docker compose run --rm operator partner list  the operator's command
   docker compose run --rm operator operator link amal    a way into the console, http://localhost:9443
   docker compose --profile load run --rm k6      load
   docker compose --profile watching up           with Prometheus (9090) and Grafana (3000)

 Made from packages/deployment/containers/compose_services.ts by
 "node tools/run.mjs packages/deployment/containers/render_compose_main.ts": change it there, not here.
 docs/sidecar.md explains the parts.`;

const REASONS: Record<string, string> = {
  secrets:
    " Makes master key, edge secret and database password at the first start: there are no defaults.",
  postgresql: " Others reach it on its socket alone; it is on no network.",
  deployment:
    " Before each start: migrations, authority, partner, and the sidecar's configuration.",
  "server-1": " Instances of the service, on sockets that only the sidecar mounts.",
  delivery: " Delivers the webhooks, beside the instances that answer partners.",
  sidecar: " The only way in: Envoy with mutual TLS.",
  keeper: " Keeps the sidecar's revocation lists and certificate fresh.",
  office: " The operator's office with its console, at http://localhost:9443 of this machine.",
  operator: " The operator's command; only when it is run.",
  k6: " Load; only when it is run.",
  "postgres-exporter": " Figures of the database for Prometheus; with --profile watching.",
  prometheus:
    " Scrapes servers, sidecar and database, and looks at the alerts; with --profile watching.",
  grafana: " The dashboard, for whoever is on this machine; with --profile watching.",
};

/** The text of docker-compose.yml. */
export function renderCompose(): string {
  const document = new Document({
    services: composeServices(),
    networks: composeNetworks(),
    volumes: composeVolumes(),
  }, { aliasDuplicateObjects: false });
  // Without empty lines inside: the library would not comment those out.
  document.commentBefore = HEADING.replaceAll("\n\n", "\n \n");
  const services = document.get("services");
  if (isMap<Scalar<string>>(services)) {
    for (const { key } of services.items) {
      const reason = REASONS[key.value];
      if (reason !== undefined) key.commentBefore = reason;
      key.spaceBefore = key.value !== "secrets";
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
