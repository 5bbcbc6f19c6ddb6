import { readFile } from "node:fs/promises";
import process from "node:process";
import { writeConfiguration } from "@sabika/sidecar";
import type { Surroundings } from "../surroundings.ts";
import { CONTAINER_PLAN, containerDatabaseUrl, containerSidecar } from "./container_plan.ts";
import { makeDatabaseSecret, makeSecrets } from "../preparation/deployment_secrets.ts";
import { keepSidecarSet } from "../preparation/keep_sidecar_set.ts";
import { prepareDatabase } from "../preparation/prepare_database.ts";
import { prepareDeployment } from "../preparation/prepare_deployment.ts";
import { placeFiles } from "../places.ts";

const PARTNERS = 1;
const report = (line: string) => void process.stdout.write(`${line}\n`);

/**
 * The jobs around the containers of docker-compose.yml: `secrets` makes them at the first start,
 * `deployment` migrates and prepares (it may be run at every start), `keep` stays and keeps the
 * sidecar's secrets as the register says.
 */
async function main(job: string | undefined): Promise<void> {
  const surroundings: Surroundings = {
    now: Date.now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  };
  if (job === "secrets") {
    await makeSecrets(CONTAINER_PLAN.places, surroundings);
    await makeDatabaseSecret(CONTAINER_PLAN.places, surroundings);
    report("secrets are there");
    return;
  }
  if (job !== "deployment" && job !== "keep") {
    throw new Error("which job: secrets, deployment, keep");
  }
  if (job === "deployment") {
    const { databasePassword } = placeFiles(CONTAINER_PLAN.places);
    const password = (await readFile(databasePassword, "utf8")).trim();
    const url = containerDatabaseUrl(password);
    const migrations = await prepareDatabase(CONTAINER_PLAN, url, surroundings);
    report(`${migrations.length} migration(s) applied`);
  }
  const prepared = await prepareDeployment(CONTAINER_PLAN, PARTNERS, surroundings);
  if (job === "deployment") {
    report(`written: ${await writeConfiguration(containerSidecar(), surroundings.now())}`);
    return await prepared.database.close();
  }
  const keeper = keepSidecarSet(CONTAINER_PLAN, containerSidecar(), prepared, surroundings, report);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
  await keeper.stop();
  await prepared.database.close();
}

main(process.argv[2]).then(() => process.exit(0), (error: Error) => {
  process.stderr.write(`sabika: ${error.message.split("\n")[0]}\n`);
  process.exit(1);
});
