import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  completeSettings,
  currentSet,
  envoyArguments,
  type Limits,
  renderWhole,
  storedAddresses,
} from "@sabika/sidecar";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { findEnvoy } from "../../../tools/programs/find_envoy.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { endProcess, isRunning } from "../../../tools/programs/own_process.ts";

/** Another Envoy in front of a stack's instances, to compare the stack's with. */
export interface OtherEnvoy {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts it, with the stack's own secrets and instances; it may not listen yet.
 *
 * @param sidecarFolder the stack's
 * @param kind `smallest`: mutual TLS, the three headers that the service believes, and nothing else;
 * else as the stack's own, with one worker or two
 * @param limits what of its limits is another than the stack's; of the smallest nothing
 */
export async function startOtherEnvoy(
  sidecarFolder: string,
  kind: "smallest" | "one worker" | "two workers",
  limits: Partial<Limits> = {},
): Promise<OtherEnvoy> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-envoy-"));
  const port = await freePort();
  const file = join(folder, "envoy.yaml");
  await writeFile(
    file,
    kind === "smallest"
      ? await smallest(sidecarFolder, port)
      : await asOurs(sidecarFolder, folder, port, limits),
    { mode: 0o600 },
  );
  const workers = kind === "two workers" ? 2 : 1;
  const child = spawn(await findEnvoy(), envoyArguments(file, workers), { stdio: "ignore" });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  return {
    pid: child.pid!,
    port,
    async stop() {
      if (isRunning(child)) await endProcess(child, "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is rendered for the stack, on another port and without the log in the stack's folder. */
async function asOurs(
  sidecarFolder: string,
  socketFolder: string,
  port: number,
  limits: Partial<Limits>,
): Promise<string> {
  const settings = completeSettings({
    folder: sidecarFolder,
    socketFolder,
    environment: "sandbox",
    serverNames: ["127.0.0.1"],
    listen: `127.0.0.1:${port}`,
    watch: "127.0.0.1:0",
    accessLog: join(socketFolder, "access.log"),
    tlsLog: join(socketFolder, "tls.log"),
    limits: {
      ...{ requestsPerSecond: 20_000, burst: 40_000 },
      ...{ totalRequestsPerSecond: 50_000, totalBurst: 100_000 },
      ...limits,
    },
  });
  return renderWhole(settings, await storedAddresses(sidecarFolder));
}

/** As JSON, which Envoy reads as YAML. */
async function smallest(sidecarFolder: string, port: number): Promise<string> {
  const { edgeSecret } = await currentSet(sidecarFolder);
  const source = (file: string) => ({
    resource_api_version: "V3",
    path_config_source: { path: join(sidecarFolder, file) },
  });
  const secret = (name: string) => ({ name, sds_config: source(join("sds", `${name}.yaml`)) });
  const typed = (type: string, settings: object) => ({
    "@type": `type.googleapis.com/envoy.extensions.${type}`,
    ...settings,
  });
  const added = (key: string, value: string) => ({ header: { key, value } });
  const manager = typed(
    "filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: "smallest",
      forward_client_cert_details: "SANITIZE_SET",
      http_filters: [{
        name: "router",
        typed_config: typed("filters.http.router.v3.Router", {}),
      }],
      route_config: {
        request_headers_to_add: [
          added("x-sabika-peer-address", "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%"),
          added("x-sabika-edge", edgeSecret),
        ],
        virtual_hosts: [{
          name: "service",
          domains: ["*"],
          routes: [{ match: { prefix: "/" }, route: { cluster: "service" } }],
        }],
      },
    },
  );
  return JSON.stringify({
    node: { id: "smallest", cluster: "smallest" },
    static_resources: {
      listeners: [{
        address: { socket_address: { address: "127.0.0.1", port_value: port } },
        filter_chains: [{
          transport_socket: {
            name: "tls",
            typed_config: typed("transport_sockets.tls.v3.DownstreamTlsContext", {
              require_client_certificate: true,
              common_tls_context: {
                tls_certificate_sds_secret_configs: [secret("server_certificate")],
                validation_context_sds_secret_config: secret("partner_ca"),
              },
            }),
          },
          filters: [{ name: "http", typed_config: manager }],
        }],
      }],
      clusters: [{
        name: "service",
        type: "EDS",
        eds_cluster_config: { eds_config: source(join("eds", "service.yaml")) },
      }],
    },
  });
}
