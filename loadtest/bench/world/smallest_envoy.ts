import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentSet, envoyArguments } from "@sabika/sidecar";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { findEnvoy } from "../../../tools/programs/find_envoy.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { endProcess, isRunning } from "../../../tools/programs/own_process.ts";

/** An Envoy that forwards and does nothing else, to compare a stack's with. */
export interface SmallestEnvoy {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts an Envoy with mutual TLS and the three headers that the service believes, before the instances
 * of a stack and with its secrets; it may not listen yet.
 *
 * @param sidecarFolder the stack's
 */
export async function startSmallestEnvoy(sidecarFolder: string): Promise<SmallestEnvoy> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-envoy-"));
  const port = await freePort();
  const file = join(folder, "envoy.yaml");
  await writeFile(file, await render(sidecarFolder, port), { mode: 0o600 });
  const child = spawn(await findEnvoy(), envoyArguments(file, 1), { stdio: "ignore" });
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

/** The configuration as JSON, which Envoy reads as YAML. */
async function render(sidecarFolder: string, port: number): Promise<string> {
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
