import { type Sandbox, type SandboxSettings, startSandbox } from "@sabika/sandbox";
import { testRecord } from "../../secret_search/record.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { openTestDatabase } from "../test_database.ts";
import { surroundings } from "./surroundings.ts";

/**
 * Starts a sandbox on a test's database, which is removed with it. This takes a tenth of the time that an
 * embedded database in the data folder takes. At its end the record of tests keeps the folder's secrets and logs.
 */
export async function startTestSandbox(
  dataFolder = temporaryFolder(),
  settings: Partial<SandboxSettings> = {},
): Promise<Sandbox> {
  const { url: databaseUrl, close } = await openTestDatabase();
  try {
    const sandbox = await startSandbox(
      { dataFolder, port: 0, databaseUrl, ...settings },
      surroundings,
    );
    return {
      ...sandbox,
      async stop() {
        await sandbox.stop();
        testRecord.dataFolder(dataFolder);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
