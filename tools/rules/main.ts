/** `npm run check`: each step prints a line, followed by its violations. */
import { join } from "node:path";
import process from "node:process";
import { checkImportRule } from "./import_rule.ts";
import { endChildrenAtSignals } from "../programs/end_children_at_signals.ts";
import { RUNTIME_ARGUMENTS } from "../programs/own_process.ts";
import { runProgram } from "../programs/run_program.ts";
import { checkArchitecture } from "./architecture.ts";
import { checkDecisions } from "./decisions.ts";
import { checkExamples } from "./examples.ts";
import { checkMachineTraces } from "./machine_traces.ts";
import { checkNamedFiles } from "./named_files.ts";
import { checkReferences } from "./references.ts";
import { repositoryFiles, ROOT, type SourceFile } from "./repository_files.ts";
import { checkSchemaVersion } from "./schema_version.ts";
import { formatViolation, type Violation } from "./violation.ts";
import { ensureDeno } from "../setup.mjs";

/** A named check, which resolves with its violations as text; empty if there are none. */
type Step = [name: string, check: () => Promise<string>];

const [wrong] = process.argv.slice(2);
if (wrong !== undefined) {
  process.stderr.write(`npm run check takes no ${wrong}; see \`npm run check -- --help\`\n`);
  process.exit(2);
}
endChildrenAtSignals();
const deno = await ensureDeno();
const installed = (name: string) => join(ROOT, "node_modules", ".bin", name);
const tsc = installed("tsc");
/** Keeps the compiler's results for the next run, which then checks only what has changed. */
const INCREMENTAL = [
  "--incremental",
  "--tsBuildInfoFile",
  join("node_modules", ".cache", "types.json"),
];

const PUBLISHED_MODULES = ["canonical", "jws", "protocol", "client"]
  .map((name) => join("packages", name, "mod.ts"));

/** Makes a check by a program, which passes if it exits with 0. */
function program(command: string, ...args: string[]): () => Promise<string> {
  return async () => {
    const env = { ...process.env, NO_COLOR: "1" };
    const { exitCode, stdout, stderr } = await runProgram(command, args, { cwd: ROOT, env });
    return exitCode === 0 ? "" : `${stdout}${stderr}`.trim() || `${command} ended with ${exitCode}`;
  };
}

const allFiles = repositoryFiles();

/** Makes a check by a rule over all files of the repository. */
function rule(check: (files: readonly SourceFile[]) => Violation[]): () => Promise<string> {
  return async () => check(await allFiles).map(formatViolation).join("\n");
}

const steps: Step[] = [
  ["format", program(deno, "fmt", "--check")],
  ["lint", program(deno, "lint")],
  [
    "docs of what is published",
    program(deno, "doc", "--lint", ...PUBLISHED_MODULES, join("packages", "client", "hono.ts")),
  ],
  ["lint by types", program(installed("oxlint"), "--type-aware", "--quiet")],
  ["types", program(tsc, "-p", "tsconfig.json", ...INCREMENTAL)],
  [
    "types of canonical, jws and protocol with web libraries alone",
    program(tsc, "-p", join("packages", "protocol", "tsconfig.json")),
  ],
  [
    "unused files, exports and dependencies",
    program(
      installed("knip"),
      "--include",
      "files,exports,dependencies",
      "--no-config-hints",
      "--no-progress",
    ),
  ],
  [
    "pages made from the code",
    program(process.execPath, ...RUNTIME_ARGUMENTS, "packages/reference/main.ts", "--check"),
  ],
  [
    "public surface",
    program(process.execPath, ...RUNTIME_ARGUMENTS, "tools/surface/main.ts", "--check"),
  ],
  ["deno.lock", program(deno, "install", "--frozen", "--lockfile-only")],
  ["traces of a machine", rule(checkMachineTraces)],
  ["import rule", rule(checkImportRule)],
  ["architecture", rule(checkArchitecture)],
  ["schema version", rule(checkSchemaVersion)],
  ["references", rule(checkReferences)],
  ["decisions", rule(checkDecisions)],
  ["examples of what is published", rule(checkExamples)],
  ["links and named files", rule(checkNamedFiles)],
];

/** Runs a step and prints its line, followed by its violations; returns whether it passed. */
async function run([name, check]: Step): Promise<boolean> {
  const startedMs = performance.now();
  const words = await check();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const verdict = `${name}: ${words === "" ? "ok" : "NOT OK"} (${seconds} s)\n`;
  process.stdout.write(words === "" ? verdict : `${verdict}${words}\n\n`);
  return words === "";
}

const failed = (await Promise.all(steps.map(run))).filter((isOk) => !isOk).length;
process.stdout.write(failed === 0 ? "all is well\n" : `${failed} of ${steps.length} not ok\n`);
process.exit(failed === 0 ? 0 : 1);
