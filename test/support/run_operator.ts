import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runSabika } from "@sabika/operator";
import { testRecord } from "../secret_search/record.ts";
import type { TestAdmin } from "./test_admin.ts";
import type { TestPerson } from "./test_people.ts";

/**
 * Runs the operator's command in this process.
 *
 * Its stderr is searched for secrets like a log; its stdout is not, because it may show a new secret once.
 *
 * @param now epoch milliseconds
 */
export async function runOperator(
  args: readonly string[],
  env: Record<string, string> = {},
  now: () => number = Date.now,
) {
  let [stdout, stderr] = ["", ""];
  const code = await runSabika(args, {
    env,
    stdout: { write: (text) => stdout += text },
    stderr: { write: (text) => stderr += text },
    isTerminal: false,
    now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    fetch,
    resolve: () => Promise.reject(new Error("tests resolve no names")),
    user: { who: "tester", from: "test" },
  });
  testRecord.log("sabika-stderr", stderr);
  testRecord.secretsIn(env.SABIKA_MASTER_KEY, env.SABIKA_DATABASE_URL, stdout);
  return { code, stdout, stderr };
}

/**
 * Returns a function that runs a command with `--json` and parses its output.
 *
 * @param now epoch milliseconds
 * @throws Error with the exit code and stderr when the command fails
 */
export function operatorOf(env: Record<string, string>, now?: () => number) {
  return async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await runOperator([...args, "--json"], env, now);
    if (code !== 0) throw new Error(`sabika ${args.join(" ")}: ${code} ${stderr}`);
    return JSON.parse(stdout) as T;
  };
}

/** Returns the environment in which a command works at a test's database, with this data folder. */
export function envAtDatabase(
  { testDatabase, masterKeyText }: Pick<TestAdmin, "testDatabase" | "masterKeyText">,
  dataFolder: string,
) {
  return {
    SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: masterKeyText,
    SABIKA_DATA: dataFolder,
  };
}

/** Writes a person's key to a folder; returns the environment in which a command asks the office as them. */
export async function envAtOffice(
  origin: string,
  folder: string,
  { name, privatePem }: Pick<TestPerson, "name" | "privatePem">,
) {
  const file = join(folder, `${name}.key`);
  await writeFile(file, privatePem, { mode: 0o600 });
  return {
    SABIKA_ADMIN_URL: origin,
    SABIKA_OPERATOR_KEY_FILE: file,
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_DATA: folder,
  };
}
