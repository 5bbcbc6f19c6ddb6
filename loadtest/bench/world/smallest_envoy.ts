import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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

async function render(sidecarFolder: string, port: number): Promise<string> {
  const template = await readFile(new URL("./smallest_envoy.yaml", import.meta.url), "utf8");
  const { edgeSecret } = await currentSet(sidecarFolder);
  return template.replaceAll("FOLDER", sidecarFolder).replaceAll("LISTEN_PORT", String(port))
    .replaceAll("EDGE_SECRET", edgeSecret);
}
