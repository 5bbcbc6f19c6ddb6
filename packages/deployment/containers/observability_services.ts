import { MAIN_CELL } from "@sabika/service/cells";
import {
  CONTAINER_PLAN,
  DATABASE_NAME,
  DATABASE_SOCKET,
  SERVER,
  SIDECAR_PORTS,
} from "./container_plan.ts";
import { stringify } from "yaml";
import { DELIVERY, exporterArguments, exporterEnvironment } from "../services.ts";
import { prometheusConfiguration } from "../observability/prometheus_configuration.ts";
import type { ComposeService } from "./compose_service.ts";

const IMAGES = {
  exporter: "prometheuscommunity/postgres-exporter:v0.19.1",
  prometheus: "prom/prometheus:v3.7.3",
  grafana: "grafana/grafana:12.2.1",
} as const;

const EXPORTER_PORT = 9187;
const PROMETHEUS_PORT = 9090;
const GRAFANA_PORT = 3000;
/** docs/observability, as Prometheus and Grafana see it. */
const PAGES = "./docs/observability:/etc/sabika:ro";

/** What all services of docker-compose.yml share. */
interface Common {
  /** Volumes by name, and where each is mounted. */
  volumes: Readonly<Record<string, string>>;
  shared: ComposeService;
  healthTimes: object;
  /** What may be waited for, and how. */
  after: { deployment: object; sidecar: object; prometheus: object };
}

/** `docker compose --profile watching up`: beside the others, on the network that no partner is on. */
export function observabilityServices(
  { volumes, shared, healthTimes, after }: Common,
): Record<string, ComposeService> {
  const profiles = ["watching"];
  const healthAt = (port: number, path: string) => ({
    test: ["CMD", "wget", "-qO", "/dev/null", `http://127.0.0.1:${port}${path}`],
    ...healthTimes,
  });
  const uri = `/${DATABASE_NAME}?host=${encodeURIComponent(DATABASE_SOCKET)}&sslmode=disable`;
  return {
    "postgres-exporter": {
      ...shared,
      ...{ image: IMAGES.exporter, profiles },
      command: exporterArguments(`:${EXPORTER_PORT}`),
      environment: exporterEnvironment(CONTAINER_PLAN.places, uri),
      depends_on: { deployment: after.deployment },
      volumes: ["exporter", "database-socket"].map((name) => `${name}:${volumes[name]}:ro`),
      healthcheck: healthAt(EXPORTER_PORT, "/"),
    },
    prometheus: {
      ...shared,
      ...{ image: IMAGES.prometheus, profiles },
      // Its image's own user, whom its volume belongs to.
      user: "65534:65534",
      command: [
        "--config.file=/etc/sabika/containers/prometheus.yml",
        "--storage.tsdb.path=/prometheus",
      ],
      ports: [`127.0.0.1:${PROMETHEUS_PORT}:${PROMETHEUS_PORT}`],
      depends_on: { sidecar: after.sidecar },
      volumes: [PAGES, "prometheus:/prometheus"],
      healthcheck: healthAt(PROMETHEUS_PORT, "/-/healthy"),
    },
    grafana: {
      ...shared,
      ...{ image: IMAGES.grafana, profiles },
      environment: {
        GF_PATHS_PROVISIONING: "/etc/sabika/containers/grafana",
        // Whoever reaches its port on this machine may look, and nobody may change anything.
        GF_AUTH_ANONYMOUS_ENABLED: "true",
        GF_AUTH_DISABLE_LOGIN_FORM: "true",
        GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
        GF_ANALYTICS_REPORTING_ENABLED: "false",
        GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
      },
      ports: [`127.0.0.1:${GRAFANA_PORT}:${GRAFANA_PORT}`],
      depends_on: { prometheus: after.prometheus },
      volumes: [PAGES],
      tmpfs: [...shared.tmpfs as string[], "/var/lib/grafana:mode=1777,size=256m"],
      healthcheck: healthAt(GRAFANA_PORT, "/api/health"),
    },
  };
}

/** The files below docs/observability/containers that these services read, by their paths there. */
export function observabilityFiles(): Record<string, string> {
  return {
    "prometheus.yml": prometheusConfiguration({
      intervalSeconds: 5,
      rulesFile: "../alerts.yaml",
      jobs: {
        server: {
          // However many containers a service has.
          named: [SERVER, DELIVERY],
          port: CONTAINER_PLAN.watchPort!,
        },
        sidecar: { at: [`sidecar:${SIDECAR_PORTS.watch}`] },
        postgresql: { ofCells: { [MAIN_CELL]: `postgres-exporter:${EXPORTER_PORT}` } },
      },
      paths: { sidecar: "/stats/prometheus" },
    }),
    "grafana/datasources/prometheus.yaml": stringify({
      apiVersion: 1,
      datasources: [{
        ...{ name: "Prometheus", uid: "prometheus", type: "prometheus", isDefault: true },
        url: `http://prometheus:${PROMETHEUS_PORT}`,
      }],
    }),
    "grafana/dashboards/sabika.yaml": stringify({
      apiVersion: 1,
      providers: [{ name: "Sabika", options: { path: "/etc/sabika" } }],
    }),
  };
}
