import { readFile } from "node:fs/promises";
import process from "node:process";
import { type SidecarSettings, writeConfiguration } from "@sabika/sidecar";
import type { Surroundings } from "../surroundings.ts";
import {
  CONTAINER_PLAN,
  containerDatabaseUrl,
  containerSidecar,
  productionPlan,
  productionSidecar,
} from "./container_plan.ts";
import { keepInstances } from "./keep_instances.ts";
import { listeningInstances } from "./listening_instances.ts";
import { makeDatabaseSecret, makeSecrets } from "../preparation/deployment_secrets.ts";
import { keepSidecarSet } from "../preparation/keep_sidecar_set.ts";
import { type OpenedRegister, openRegister } from "../preparation/open_register.ts";
import { prepareDatabase } from "../preparation/prepare_database.ts";
import { prepareDeployment } from "../preparation/prepare_deployment.ts";
import { placeFiles } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";

const PARTNERS = 1;
const report = (line: string) => void process.stdout.write(`${line}\n`);

/** The inputs of the jobs. In a sandbox, `open` makes what a production deployment must already have. */
interface Work {
  plan: DeploymentPlan;
  sidecar: SidecarSettings;
  surroundings: Surroundings;
  open: () => Promise<OpenedRegister>;
}

/**
 * The jobs around the containers. In docker-compose.yml: `secrets` makes the missing secrets,
 * `deployment` migrates and prepares (it may be run at every start). In docker-compose.production.yml
 * `sidecar` writes what Envoy reads. In both, `keep` goes on running and keeps the sidecar's
 * secrets, addresses and list of instances up to date.
 */
async function main(job: string | undefined): Promise<void> {
  const work = workOf(process.env);
  const { plan, surroundings } = work;
  const isSandbox = plan.environment === "sandbox";
  if (job === "secrets" && isSandbox) {
    await makeSecrets(plan.places, surroundings);
    await makeDatabaseSecret(plan.places, surroundings);
    report("secrets are there");
  } else if (job === "deployment" && isSandbox) {
    const { databasePassword } = placeFiles(plan.places);
    const url = containerDatabaseUrl((await readFile(databasePassword, "utf8")).trim());
    const migrations = await prepareDatabase(plan, url, surroundings);
    report(`${migrations.length} migration(s) applied`);
    await writeForSidecar(work);
  } else if (job === "sidecar" && !isSandbox) await writeForSidecar(work);
  else if (job === "keep") await keep(work);
  else throw new Error(`which job: ${isSandbox ? "secrets, deployment" : "sidecar"}, keep`);
}

function workOf(env: Readonly<Record<string, string | undefined>>): Work {
  const surroundings: Surroundings = {
    now: Date.now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  };
  if (env["SABIKA_ENVIRONMENT"] === "production") {
    const plan = productionPlan(env["SABIKA_BASE_URL"] ?? "");
    const open = () => openRegister(plan, surroundings, env);
    return { plan, sidecar: productionSidecar(plan), surroundings, open };
  }
  const plan = CONTAINER_PLAN;
  const open = () => prepareDeployment(plan, PARTNERS, surroundings);
  return { plan, sidecar: containerSidecar(), surroundings, open };
}

async function writeForSidecar({ plan, sidecar, surroundings, open }: Work): Promise<void> {
  const { database } = await open();
  await database.close();
  // The job may run again beside instances that serve.
  const instances = await listeningInstances(plan.places.sockets);
  const written = await writeConfiguration({ ...sidecar, instances }, surroundings.now());
  report(`written: ${written}`);
}

async function keep({ plan, sidecar, surroundings, open }: Work): Promise<void> {
  const prepared = await open();
  const keepers = [
    keepInstances(sidecar, plan.places.sockets, surroundings.now, report),
    keepSidecarSet(plan, sidecar, prepared, surroundings, report),
  ];
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
  for (const keeper of keepers) await keeper.stop();
  await prepared.database.close();
}

main(process.argv[2]).then(() => process.exit(0), (error: Error) => {
  process.stderr.write(`sabika: ${error.message.split("\n")[0]}\n`);
  process.exit(1);
});
