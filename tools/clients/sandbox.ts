import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { TestRecord } from "../../test/secret_search/record.ts";
import { makeReserve } from "../../test/support/sandbox/make_reserve.ts";
import { runCommand, runServing } from "../../test/support/sandbox/run_command.ts";
import { atEnd } from "../programs/at_end.ts";
import { commandLine } from "../programs/command_line.ts";
import { freePort } from "../programs/free_port.ts";
import { mustRun } from "../programs/run_program.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import { ROOT } from "../rules/repository_files.ts";

/** A service of the environment sandbox with a partner, in a separate process. */
export interface ClientsSandbox {
  /** The folder of the partner's kit. */
  readonly kit: string;
  /** The reference page, for a browser without a certificate. */
  readonly referenceUrl: string;
  /** Returns a free address of this machine, to which the partner's webhooks go after the first call. */
  webhookUrl(): Promise<string>;
  /** Makes a reserve, unless there is one; returns its day. */
  reserveDay(): Promise<string>;
  /** Runs the operator's command on its data. */
  sabika(words: readonly string[]): Promise<string>;
  /** Makes a kit of the partner with another certificate and signing key, at the first call; returns its folder. */
  nextKit(): Promise<string>;
  /** Starts an empty PostgreSQL for a partner's own tables at the first call; returns its URL. */
  databaseUrl(): Promise<string>;
  stop(): Promise<void>;
}

const STACK = ["tools/run.mjs", "packages/deployment/stack/main.ts", "--office-port", "0"];

/**
 * Starts a service with its data below `folder`: the sandbox as `npm start` makes it, or, behind Envoy, the stack. Its
 * logs and secrets are kept in `record`.
 */
export async function startClientsSandbox(
  folder: string,
  record: TestRecord,
  isStack: boolean,
): Promise<ClientsSandbox> {
  const data = join(await mkdtemp(join(folder, "sandbox-")), "data");
  const partner = isStack ? "partner-1" : "demo";
  const args = ["--port", "0", "--data", data];
  const sandbox = isStack ? runServing([...STACK, ...args], ROOT) : runCommand(args);
  const forget = atEnd(() => process.kill(sandbox.pid, "SIGINT"));
  let database: Promise<RunningPostgreSQL> | undefined;
  const stop = async () => {
    forget();
    await (await database?.catch(() => undefined))?.stop();
    await sandbox.end("SIGINT");
    record.log("sandbox", sandbox.output());
    record.dataFolder(data);
    await rm(data, { recursive: true, force: true });
  };
  try {
    await sandbox.ready;
  } catch (error) {
    forget();
    throw error;
  }
  const run = (command: string, words: readonly string[]) =>
    mustRun(process.execPath, [join(ROOT, "tools", command), ...words]);
  const sabika = (words: readonly string[]) => run("sabika.mjs", [...words, "--data", data]);
  const setWebhookUrl = async () => {
    const url = `https://127.0.0.1:${await freePort()}/webhooks`;
    await sabika(commandLine`webhook set ${partner} ${url}`);
    return url;
  };
  const kit = join(data, "partners", partner);
  const makeNextKit = async () => {
    const next = join(data, "next");
    const keys = commandLine`keys --client-id ${partner} --organisation Demo --out ${next}`;
    await run("sabika_client.mjs", keys);
    const certificate = join(next, "client.crt");
    await sabika(
      commandLine`certificate rotate ${partner} ${join(next, "client.csr")} --out ${certificate}
        --overlap 60d`,
    );
    await sabika(commandLine`signing-key add ${partner} ${join(next, "signing.csr")}`);
    await copyFile(join(kit, "ca.crt"), join(next, "ca.crt"));
    const members = JSON.parse(await readFile(join(kit, "partner.json"), "utf8"));
    // Each client computes it from the key.
    delete members.signing_key_id;
    await writeFile(join(next, "partner.json"), JSON.stringify(members), { mode: 0o600 });
    return next;
  };
  let nextKit: Promise<string> | undefined;
  let webhookUrl: Promise<string> | undefined;
  return {
    kit,
    referenceUrl: /browser: (http:\S+)/.exec(sandbox.output())?.[1] ?? "",
    webhookUrl: () => webhookUrl ??= setWebhookUrl(),
    reserveDay: () => makeReserve(join(data, isStack ? "server.url" : "database.url"), Date.now()),
    sabika,
    nextKit: () => nextKit ??= makeNextKit(),
    databaseUrl: async () => (await (database ??= runPostgreSQL({ durable: false }))).url,
    stop,
  };
}
