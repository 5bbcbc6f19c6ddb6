import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  environmentOf,
  type FileRun,
  judgeFile,
  literal,
  type PlannedRun,
  type RunSettings,
  type TestResult,
} from "./file_run.ts";
import { machineLoad, startTestProcess } from "./test_process.ts";
import { commandLine } from "../programs/command_line.ts";

/** Runs a file with `deno test`; a failure of the file is a result, and is not thrown. */
export async function runOnDeno(run: PlannedRun, settings: RunSettings): Promise<FileRun> {
  const { name, timeoutSeconds, environment } = settings;
  const report = join(settings.folder, `report-${randomUUID()}`);
  const startedMs = performance.now();
  const tests = startTestProcess(
    settings.deno,
    commandLine`test -A --no-check --v8-flags=--liftoff-only --junit-path=${report}
      ${name === undefined ? [] : [`--filter=/${literal(name)}/`]} ${run.file.path}`,
    { ...environment, ...environmentOf(run, settings) },
    { ipc: false },
  );
  tests.endAfter(
    timeoutSeconds,
    () => `it did not end within ${timeoutSeconds} s (${machineLoad()}): a test hangs`,
  );
  const { exitCode, trouble } = await tests.ended;
  const results = readReport(await readFile(report, "utf8").catch(() => ""));
  await rm(report, { force: true });
  const isExplained = exitCode === 0 || results.some(({ outcome }) => outcome === "failed");
  const ending = isExplained ? undefined : `the process ended with ${exitCode ?? "a signal"}`;
  return {
    ...run,
    // If the process was killed, the last lines of its output name the running test.
    results: judgeFile(run, results, settings, {
      output: tests.takeOutput(),
      trouble: trouble ?? ending,
    }),
    seconds: (performance.now() - startedMs) / 1000,
  };
}

/** Reads the JUnit report that Deno writes. */
function readReport(xml: string): TestResult[] {
  const cases = Array.from(
    xml.matchAll(/<testcase name="([^"]*)"[^>]*>([^]*?)<\/testcase>/g),
    ([, name, body]) => ({ name: name!, body: body! }),
  );
  const isParent = (name: string) => cases.some((other) => other.name.startsWith(`${name} &gt; `));
  return cases.flatMap(({ name, body }): TestResult[] => {
    const [failed, message, error] = /<failure message="([^"]*)">([^]*?)<\/failure>/.exec(body) ??
      [];
    const isInherited = /^\d+ test steps? failed/.test(message ?? "");
    if (isParent(name) && (failed === undefined || isInherited)) return [];
    const result = { name: unescapeXml(name) };
    if (failed !== undefined) {
      return [{ ...result, outcome: "failed", error: unescapeXml(error || message!) }];
    }
    return [{ ...result, outcome: body.includes("<skipped") ? "skipped" : "passed" }];
  });
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Decodes the entities of an XML text or attribute. */
function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#(\d+)|(\w+));/g,
    (whole, code, name) => code ? String.fromCodePoint(Number(code)) : ENTITIES[name] ?? whole,
  );
}
