import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestRecord } from "../../test/secret_search/record.ts";
import type { TestResult } from "../testing/read_results.ts";
import { type Language, type PreparedLanguage, runCommandOf } from "./language.ts";
import { type ClientsSandbox, startClientsSandbox } from "./sandbox.ts";

/** What one language came to; `missing` says why it could not run at all. */
export interface LanguageRun {
  name: string;
  version?: string;
  missing?: string;
  results: TestResult[];
  seconds: number;
}

export interface RunSettings {
  /** For what is built, and for the sandboxes' data. */
  folder: string;
  /** All that the clients print is kept for the search for secrets. */
  record: TestRecord;
  tell: (line: string) => void;
  /** What this machine lacks is a failure rather than skipped. */
  ci: boolean;
}

/** Checks, builds and tries the client of one language. */
export async function runLanguage(language: Language, settings: RunSettings): Promise<LanguageRun> {
  const { name } = language;
  const { folder, record, tell } = settings;
  const started = performance.now();
  const run: LanguageRun = { name, results: [], seconds: 0 };
  const scratch = join(folder, name);
  await mkdir(scratch);
  tell(`${name}: fetching what it needs`);
  const prepared = await language.prepare(scratch).catch((error: Error) => error);
  if (prepared instanceof Error) return { ...run, missing: prepared.message };
  run.version = prepared.version;
  // One for each language: no event of another's tests then waits before the example's. It starts while
  // the client is built.
  const starting = startClientsSandbox(folder, record);
  starting.catch(() => {}); // whoever awaits it gets the error
  try {
    for (const { name: what, command } of prepared.checks) {
      tell(`${name}: ${what}`);
      const end = await runCommandOf(command);
      record.log(name, end.output);
      run.results.push(resultOf(what, end.ok, end.output));
    }
    if (run.results.every(({ outcome }) => outcome === "passed")) {
      run.results.push(...await tryClient(name, prepared, await starting, settings));
    }
  } finally {
    await starting.then((sandbox) => sandbox.stop(), () => {});
  }
  run.seconds = (performance.now() - started) / 1000;
  return run;
}

/** The examples first: they wait for a webhook, and the tests leave events behind that nobody takes. */
async function tryClient(
  name: string,
  { examples, test }: PreparedLanguage,
  sandbox: ClientsSandbox,
  { record, tell, ci }: RunSettings,
): Promise<TestResult[]> {
  const results: TestResult[] = [];
  const webhookUrl = await sandbox.newWebhookUrl();
  for (const example of examples) {
    if ("missing" in example) {
      const what = `${example.name} (${example.missing.split("\n")[0]})`;
      results.push({ name: what, outcome: ci ? "failed" : "skipped", error: example.missing });
      continue;
    }
    tell(`${name}: ${example.name}`);
    const end = await runCommandOf(example.command(sandbox.kit, webhookUrl));
    record.log(name, end.output);
    results.push(judgeExample(example.name, end));
  }
  if (test === undefined) return results;
  tell(`${name}: the tests run`);
  const tests = await test(sandbox.kit, webhookUrl);
  record.log(name, tests.output);
  return [...results, ...tests.results];
}

/** The example has done its work when the order was executed once and its webhook arrived. */
function judgeExample(name: string, { ok, output }: { ok: boolean; output: string }): TestResult {
  const [, id] = /^(ord_[0-9a-f-]+) executed: 1 g for [0-9.]+ SAR$/m.exec(output) ?? [];
  const lines = output.split("\n");
  const done = ok && id !== undefined && lines.includes(`${id} once more: the same order`) &&
    lines.includes(`webhook order.executed ${id}`);
  return resultOf(name, done, output);
}

function resultOf(name: string, passed: boolean, error: string): TestResult {
  return passed ? { name, outcome: "passed" } : { name, outcome: "failed", error };
}
