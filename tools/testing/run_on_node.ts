import { fileURLToPath } from "node:url";
import { openRunRecord } from "../../test/secret_search/search_run.ts";
import {
  environmentOf,
  type FileRun,
  literal,
  nameOf,
  type PlannedRun,
  type RunSettings,
  withoutOtherNames,
} from "./file_run.ts";
import { type NodeEvent, readNodeResults } from "./read_results.ts";
import {
  machineLoad,
  processorSeconds,
  startTestProcess,
  tail,
  testEnvironment,
} from "./test_process.ts";

const RUN_FILES = fileURLToPath(new URL("run_files.mjs", import.meta.url));
const REPORTER = new URL("node_reporter.mjs", import.meta.url).href;
/** How long a process may take to end once its last file is over. */
const ENDING_SECONDS = 60;

/** What `run_files.mjs` sends before each file: what it has open; in between what `node_reporter.mjs` sends. */
type Message = { open: string[] } | { begun: string } | NodeEvent;

/** A file that runs now. */
interface Current {
  run: PlannedRun;
  events: NodeEvent[];
  /** The test that began last. */
  begun: string;
  startedMs: number;
  processorSeconds: number;
}

/**
 * Runs files one after the other in one process of Node: to start it and to load the product costs more
 * than most of them need themselves. Never throws for what the files do; where one ends or stops the
 * process, that file has failed, and the next call goes on with the others.
 *
 * @param next gives the next file; undefined when there is none
 * @param done called with each file that has ended
 */
export async function runOnNode(
  next: () => PlannedRun | undefined,
  done: (run: FileRun) => void,
  settings: RunSettings,
): Promise<void> {
  const { name, signal, timeoutSeconds } = settings;
  const tests = startTestProcess(settings.node, [
    ...["--liftoff-only", "--import", "tsx"],
    ...[`--test-reporter=${REPORTER}`, "--test-reporter-destination=stdout"],
    ...(name === undefined
      ? []
      : [`--test-name-pattern=${literal(name)}`, "--test-name-pattern=^#end$"]),
    RUN_FILES,
  ], { env: testEnvironment(settings.long), ipc: true, ...(signal ? { signal } : {}) });
  let current: Current | undefined;
  let last: FileRun | undefined;
  let hasFailed = false;
  let overdue: string | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const opened: string[] = [];

  /** Ends the process unless this is called again within so many seconds. */
  const endAfter = (seconds: number, words: () => string) => {
    clearTimeout(deadline);
    deadline = setTimeout(() => {
      overdue = words();
      tests.end();
    }, seconds * 1000);
  };
  // One that has ended meanwhile is noticed below.
  const send = (message: object) => tests.child.send(message, () => {});
  const used = () => processorSeconds(tests.child.pid!);
  const finish = (trouble?: string) => {
    const { run, events, startedMs, processorSeconds } = current!;
    current = undefined;
    const output = tests.takeOutput();
    openRunRecord(settings.folder, nameOf(run)).log("output", output);
    const results = withoutOtherNames(readNodeResults(events), name);
    const reason = trouble ??
      (results.length === 0 && name === undefined ? "it has no test" : undefined);
    if (reason !== undefined) results.push(failure(reason, output));
    last = {
      ...run,
      results,
      seconds: (performance.now() - startedMs) / 1000,
      processorSeconds: Math.max(0, used() - processorSeconds),
    };
    hasFailed ||= results.some(({ outcome }) => outcome === "failed");
    done(last);
  };
  const begin = (open: string[]) => {
    if (last !== undefined) opened.push(`${last.file.path}: ${open.join(" ")}`);
    const run = signal?.aborted || (settings.apart && last !== undefined) ? undefined : next();
    if (run === undefined) {
      send({});
      endAfter(ENDING_SECONDS, () =>
        `its process did not end. Open after its files were:
${opened.join("\n")}`);
      return;
    }
    current = {
      ...{ run, events: [], begun: "no test" },
      ...{ startedMs: performance.now(), processorSeconds: used() },
    };
    endAfter(
      timeoutSeconds,
      () =>
        `it did not end within ${timeoutSeconds} s, while ${current?.begun} ran: a test hangs (` +
        `${
          (used() - (current?.processorSeconds ?? 0)).toFixed(0)
        } s of processor, ${machineLoad()})`,
    );
    send({ path: run.file.path, environment: environmentOf(run, settings) });
  };

  tests.child.on("message", (message: Message) => {
    if ("open" in message) {
      if (current !== undefined) finish();
      begin(message.open);
    } else if ("begun" in message) {
      if (current !== undefined && message.begun !== "#file") current.begun = `"${message.begun}"`;
    } else current?.events.push(message);
  });
  const { exitCode, left } = await tests.ended;
  clearTimeout(deadline);
  if (signal?.aborted) return;
  const ending = `the process ended with ${exitCode ?? "a signal"}`;
  const trouble = overdue ??
    (exitCode !== 0 && !hasFailed
      ? ending
      : left.length > 0
      ? `processes were left behind:\n${left.join("\n")}`
      : undefined);
  if (current !== undefined) finish(overdue ?? `${ending}, while ${current.begun} ran`);
  else if (trouble !== undefined) {
    last?.results.push(failure(`${trouble}\nby this file or one before it`, tests.takeOutput()));
  }
}

function failure(reason: string, output: string) {
  return {
    name: "(the file itself)",
    outcome: "failed" as const,
    error: `${reason}\n${tail(output)}`,
  };
}
