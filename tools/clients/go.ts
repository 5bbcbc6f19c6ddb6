import { join } from "node:path";
import process from "node:process";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { checkKeys } from "./keys.ts";
import { samplesProgram } from "./samples.ts";
import { commandLine } from "../programs/command_line.ts";
import {
  check,
  checkExample,
  checkProject,
  checkTests,
  type Command,
  type Subject,
} from "./subject.ts";

const FOLDER = join(ROOT, "clients", "go");
/** Allows only the standard library: nothing may be fetched, not even a newer Go. */
const ALONE = { GOFLAGS: "-mod=readonly", GOPROXY: "off", GOTOOLCHAIN: "local", GOWORK: "off" };
/** Another Go, which the installed one fetches. */
const OTHER = "go1.25.5";
const FORMAT = 'unformatted=$("$0" -l -d .); echo "$unformatted"; [ -z "$unformatted" ]';

/** clients/go: checked, built and tested with the installed Go. */
export const go: Subject = {
  name: "go",
  async prepare(scratch) {
    const command = onPath("go");
    const gofmt = onPath("gofmt");
    if (command === undefined || gofmt === undefined) throw new Error("go is not on the PATH");
    const GOPROXY = process.env["GOPROXY"] ?? "";
    const words = await mustRun(command, ["version"], { env: { ...process.env, ...ALONE } });
    const [, minor = 0] = /go1\.(\d+)/.exec(words) ?? [];
    if (Number(minor) < 24) throw new Error(`${words.trim()} is too old: it takes 1.24 or later`);
    const run = (program: string, ...args: string[]): Command => ({
      command: program,
      args,
      cwd: FOLDER,
      env: ALONE,
    });
    const test = run(command, "test", "-count=1", "./...");
    const inProject = (...args: string[]) => ({ command, args, env: ALONE });
    const example = join(scratch, "tradingday");
    return {
      version: /go[\d.]+/.exec(words)![0].replace("go", "Go "),
      checks: [
        check("the source is formatted (gofmt)", run("sh", "-c", FORMAT, gofmt)),
        check("go vet finds nothing", run(command, "vet", "./...")),
        check(
          "it is built",
          run(command, "build", "-buildvcs=false", "-o", example, "./examples/tradingday"),
        ),
        checkProject(join(scratch, "project"), { "main.go": samplesProgram("Go") }, [
          inProject(...commandLine`mod init example`),
          inProject(
            ...commandLine`mod edit -require sabika.example/go@v1.0.0
              -replace sabika.example/go=${FOLDER}`,
          ),
          inProject("build", "./..."),
        ]),
        checkExample((kit, url) => run(example, kit, url)),
        checkTests(test),
        checkTests({ ...test, env: { ...ALONE, GOPROXY, GOTOOLCHAIN: OTHER } }, OTHER),
        await checkKeys({
          command,
          args: ["test", "-count=1", "./..."],
          cwd: join(FOLDER, "integration"),
          // It has dependencies, in C too.
          env: { ...ALONE, GOPROXY, CGO_ENABLED: "1" },
        }),
      ],
    };
  },
};
