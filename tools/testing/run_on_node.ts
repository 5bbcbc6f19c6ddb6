import { fileURLToPath } from "node:url";
import {
  environmentOf,
  fileFailure,
  type FileRun,
  judgeFile,
  literal,
  type PlannedRun,
  type RunSettings,
  type TestResult,
} from "./file_run.ts";
import { machineLoad, processorSeconds, startTestProcess } from "./test_process.ts";
import { commandLine } from "../programs/command_line.ts";

const RUN_FILES = fileURLToPath(new URL("run_files.mjs", import.meta.url));
const REPORTER = new URL("node_reporter.mjs", import.meta.url).href;
/** How long a process may take to end after its last file. */
const ENDING_SECONDS = 60;

/** Messages of `run_files.mjs`, which sends open handles before each file, and of `node_reporter.mjs`. */
type Message = { open: string[] } | { begun: string } | { note: string } | TestResult;

/** The file that is running. */
interface Current {
  run: PlannedRun;
  results: TestResult[];
  /** The name of the test that began last. */
  begun: string;
  startedMs: number;
  processorSeconds: number;
}

/**
 * Runs files in turn in one process of Node, because starting it and loading the product costs more than
 * most files need. No failure of a file is thrown: a file that ends the process or hangs has failed, and
 * the next call continues with the others.
 *
 * @param next returns the next file, given the process's open handles; undefined if there is none
 * @param done called with each file that has ended
 */
export async function runOnNode(
  next: (open: readonly string[]) => PlannedRun | undefined | Promise<PlannedRun | undefined>,
  done: (run: FileRun) => void,
  settings: RunSettings,
): Promise<void> {
  const { name, timeoutSeconds, environment = {}, bail } = settings;
  const filters = name === undefined ? [] : [literal(name), "^#end$"];
  const tests = startTestProcess(
    settings.node,
    commandLine`--liftoff-only ${
      settings.isBundled ? [] : ["--import", "tsx"]
    } --test-reporter=${REPORTER}
      --test-reporter-destination=stdout
      ${filters.map((filter) => `--test-name-pattern=${filter}`)} ${RUN_FILES}`,
    environment,
    { ipc: true, root: settings.root },
  );
  let current: Current | undefined;
  let last: FileRun | undefined;
  let hasFailed = false;
  /** Whether the process is being ended, so that what it still says of itself does not count. */
  let isEnding = false;
  let beginning = Promise.resolve();
  const opened: string[] = [];
  // A process that has ended meanwhile is noticed below.
  const send = (message: object) => tests.child.send(message, () => {});
  const used = () => processorSeconds(tests.child.pid!) - (current?.processorSeconds ?? 0);

  const finish = ({ run, results: all, startedMs }: Current, trouble?: string) => {
    const results = judgeFile(run, all, settings, {
      output: tests.takeOutput(),
      trouble,
    });
    last = {
      ...run,
      results,
      seconds: (performance.now() - startedMs) / 1000,
      processorSeconds: Math.max(0, used()),
    };
    current = undefined;
    hasFailed ||= results.some(({ outcome }) => outcome === "failed");
    done(last);
  };
  const begin = async (open: string[]) => {
    if (last !== undefined) opened.push(`${last.file.path}: ${open.join(" ")}`);
    const run = settings.apart && last !== undefined ? undefined : await next(open);
    if (run === undefined) {
      send({});
      tests.endAfter(
        bail === undefined ? ENDING_SECONDS : 0,
        () => `its process did not end. Open after its files were:\n${opened.join("\n")}`,
      );
      return;
    }
    current = {
      run,
      results: [],
      begun: "no test",
      startedMs: performance.now(),
      processorSeconds: used(),
    };
    const seconds = run.timeoutSeconds ?? timeoutSeconds;
    tests.endAfter(seconds, () => {
      isEnding = true;
      const spent = `${used().toFixed(0)} s of processor, ${machineLoad()}`;
      return `it did not end within ${seconds} s, while ${current?.begun} ran: a test hangs (${spent})`;
    });
    send({ path: run.bundle ?? run.file.path, environment: environmentOf(run, settings) });
  };

  tests.child.on("message", (message: Message) => {
    if (isEnding) return;
    if ("open" in message) {
      if (current !== undefined) finish(current);
      beginning = begin(message.open);
    } else if (current === undefined) return;
    else if ("note" in message) (current.results.at(-1)!.notes ??= []).push(message.note);
    else if (!("begun" in message)) {
      current.results.push(message);
      if (bail?.(current.run.file) && message.outcome === "failed") {
        isEnding = true;
        tests.endAfter(0, () => "a test failed");
      }
    } else if (message.begun !== "#file") current.begun = `"${message.begun}"`;
  });
  const { exitCode, trouble } = await tests.ended;
  await beginning;
  const ending = `the process ended with ${exitCode ?? "a signal"}`;
  if (current !== undefined) finish(current, trouble ?? `${ending}, while ${current.begun} ran`);
  else if (trouble !== undefined || (exitCode !== 0 && !hasFailed)) {
    const reason = `${trouble ?? ending}\nby this file or one before it`;
    last?.results.push(fileFailure(reason, tests.takeOutput()));
  }
}
