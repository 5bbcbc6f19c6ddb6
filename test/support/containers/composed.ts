import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { DockerEngine } from "../../../tools/programs/docker_engine.ts";
import type { Program } from "../../../tools/programs/find_program.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { until } from "../until.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PATIENCE_MS = 120_000;

/** A container's state, as the engine reports it. */
export interface ContainerState {
  Pid: number;
  ExitCode: number;
  OOMKilled: boolean;
  Health?: { Status: string; Log: { Output: string }[] };
}

/** Reads the images that a compose file of this repository names, by service. */
export async function imagesOf(file: string): Promise<Record<string, string>> {
  const { services } = parse(await readFile(join(ROOT, file), "utf8"), { merge: true }) as {
    services: Record<string, { image: string }>;
  };
  return Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]));
}

/** Runs one of the repository's compose files, unchanged, on an engine. */
export function composed(
  engine: DockerEngine,
  { command, args, env }: Program,
  file: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const project = ["--project-name", "sabika", "--file", join(ROOT, file)];
  const run = (...words: string[]) =>
    mustRun(command, [...args, ...project, ...words], {
      cwd: ROOT,
      env: { ...engine.environment, ...env, ...environment },
    });
  const containers = async (...services: string[]) =>
    (await run("ps", "-q", ...services)).split("\n").filter((id) => id !== "");
  const stateOf = async (id: string): Promise<ContainerState> =>
    JSON.parse(await engine.docker("inspect", id))[0].State;
  return {
    /** Runs a command of compose to its end; throws an Error with its output if it fails. */
    run,
    containers,
    stateOf,
    /** Waits until these containers are healthy; throws an Error with checks and logs if one is not. */
    async healthy(ids: readonly string[]) {
      for (const id of ids) {
        let state: ContainerState | undefined;
        const isHealthy = async () => (state = await stateOf(id)).Health?.Status === "healthy";
        await until(isHealthy, PATIENCE_MS, id, 250).catch(async () => {
          const { stdout, stderr } = await engine.run(["logs", "--tail", "5", id]);
          const checks = state?.Health?.Log.map(({ Output }) => Output).join("") ?? "";
          throw new Error(`${id} is ${state?.Health?.Status}: ${checks}${stdout}${stderr}`);
        });
      }
    },
  };
}
