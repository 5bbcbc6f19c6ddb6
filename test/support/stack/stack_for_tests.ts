import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openKit } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { openDeployment } from "@sabika/service/deployment";
import type { RawCaller } from "../raw_https.ts";
import { fileKeys } from "../test_admin.ts";
import { readAdminPages } from "../edge/edge.ts";
import { testRecord } from "../../secret_search/record.ts";
import { type Stack, stackAdminContext, type StackSettings, startStack } from "@sabika/deployment";
import { surroundings } from "../sandbox/surroundings.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** A running stack in its own folder. */
export type TestStack = Awaited<ReturnType<typeof openTestStack>>;

/** Starts a stack on free ports, in a temporary folder unless the settings name one. */
export async function openTestStack(settings: Partial<StackSettings> = {}) {
  const dataFolder = settings.dataFolder ?? temporaryFolder();
  const stack = await startStack(
    { instances: 2, partners: 2, port: 0, ...settings, dataFolder },
    surroundings,
  );
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2 });
  const deployment = await openDeployment({
    database,
    keys: fileKeys(await readFile(join(dataFolder, "master.key"), "utf8")),
    environment: settings.environment ?? "sandbox",
    nowMs: surroundings.now(),
    random: surroundings.random,
  });
  return {
    stack,
    dataFolder,
    /** The context for administering the stack as its operator does. */
    admin: stackAdminContext({ ...deployment, database, ...surroundings }),
    /** Stops it, and keeps its logs and the answers of Envoy's admin for the search for secrets. */
    async close() {
      await database.close();
      const cells = [...stack.cells.values()].map(({ url }) => url);
      testRecord.secretsIn(stack.postgresql?.url ?? stack.databaseUrl, ...cells);
      const { adminSocket } = stack.sidecar();
      testRecord.log("envoy-admin", await readAdminPages(adminSocket).catch(() => ""));
      await stack.stop();
      testRecord.dataFolder(dataFolder);
    },
  };
}

/** Returns the environment of the operator's command for this stack. */
export function stackEnvironment({ dataFolder, stack }: TestStack): Record<string, string> {
  return {
    ...(stack.cells.size > 0 && { SABIKA_CELLS_FILE: join(dataFolder, "database.cells") }),
    SABIKA_DATABASE_URL_FILE: join(dataFolder, "database.url"),
    SABIKA_MASTER_KEY_FILE: join(dataFolder, "master.key"),
    SABIKA_DATA: dataFolder,
  };
}

/**
 * Returns the connection options of a stack's partner, for calls without the SDK.
 *
 * @param number the partner's number, from 0
 */
export async function rawCallerOf(
  { kits, baseUrl }: Pick<Stack, "kits" | "baseUrl">,
  number: number,
): Promise<Required<RawCaller>> {
  const { caPem, certificatePem, privateKeyPem } = await openKit(kits[number]!);
  return { port: Number(new URL(baseUrl).port), caPem, certificatePem, keyPem: privateKeyPem };
}
