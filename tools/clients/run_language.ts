import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestRecord } from "../../test/secret_search/record.ts";
import type { TestResult } from "../testing/read_results.ts";
import { type Language, runCommandOf } from "./language.ts";
import type { ClientsSandbox } from "./sandbox.ts";

/** What one language came to; `missing` says why it could not run at all. */
export interface LanguageRun {
  name: string;
  version?: string;
  missing?: string;
  results: TestResult[];
  seconds: number;
}

/** What the parts of a run share. */
export interface RunSettings {
  /** For what is built. */
  folder: string;
  sandbox: Promise<ClientsSandbox>;
  /** All that the clients print is kept for the search for secrets. */
  record: TestRecord;
  tell: (line: string) => void;
}

/** Checks, builds and tries the client of one language. */
export async function runLanguage(language: Language, settings: RunSettings): Promise<LanguageRun> {
  const { name } = language;
  const { record, tell } = settings;
  const started = performance.now();
  const run: LanguageRun = { name, results: [], seconds: 0 };
  const scratch = join(settings.folder, name);
  await mkdir(scratch);
  tell(`${name}: fetching what it needs`);
  const prepared = await language.prepare(scratch).catch((error: Error) => error);
  if (prepared instanceof Error) return { ...run, missing: prepared.message };
  run.version = prepared.version;
  for (const { name: what, command } of prepared.checks) {
    tell(`${name}: ${what}`);
    const end = await runCommandOf(command);
    record.log(name, end.output);
    run.results.push(
      end.ok
        ? { name: what, outcome: "passed" }
        : { name: what, outcome: "failed", error: end.output },
    );
  }
  if (run.results.every(({ outcome }) => outcome === "passed")) {
    const sandbox = await settings.sandbox;
    tell(`${name}: the example buys gold`);
    const example = prepared.example(sandbox.kit, await sandbox.newWebhookUrl());
    const end = await runCommandOf(example);
    record.log(name, end.output);
    run.results.push(judgeExample(end));
    tell(`${name}: the tests run`);
    const { results, output } = await prepared.test(sandbox.kit);
    record.log(name, output);
    run.results.push(...results);
  }
  run.seconds = (performance.now() - started) / 1000;
  return run;
}

/** The example has done its work when the order was executed once and its webhook arrived. */
function judgeExample({ ok, output }: { ok: boolean; output: string }): TestResult {
  const name = "the example buys gold once and receives the webhook";
  const [, id] = /^(ord_[0-9a-f-]+) executed: 1 g for [0-9.]+ SAR$/m.exec(output) ?? [];
  const lines = output.split("\n");
  const done = ok && id !== undefined && lines.includes(`${id} once more: the same order`) &&
    lines.includes(`webhook order.executed ${id}`);
  return done ? { name, outcome: "passed" } : { name, outcome: "failed", error: output };
}
