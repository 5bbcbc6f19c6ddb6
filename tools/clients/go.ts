import { join } from "node:path";
import process from "node:process";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { type Command, EXAMPLE, type Language, runCommandOf, withEnd } from "./language.ts";
import { readGoResults } from "./read_go_results.ts";

const FOLDER = join(ROOT, "clients", "go");
/** The standard library alone: nothing may be fetched, a newer Go neither. */
const ALONE = { GOFLAGS: "-mod=readonly", GOPROXY: "off", GOTOOLCHAIN: "local", GOWORK: "off" };

/** clients/go: checked, built and tested with the Go that is here. */
export const go: Language = {
  name: "go",
  async prepare(scratch) {
    const command = onPath("go");
    const gofmt = onPath("gofmt");
    if (command === undefined || gofmt === undefined) throw new Error("go is not on the PATH");
    const words = await mustRun(command, ["version"], { env: { ...process.env, ...ALONE } });
    const [, minor = 0] = /go1\.(\d+)/.exec(words) ?? [];
    if (Number(minor) < 24) throw new Error(`${words.trim()} is too old: it takes 1.24 or later`);
    const run = (...args: string[]): Command => ({ command, args, cwd: FOLDER, env: ALONE });
    const example = join(scratch, "buygold");
    return {
      version: /go[\d.]+/.exec(words)![0].replace("go", "Go "),
      checks: [
        {
          name: "the source is formatted (gofmt)",
          command: {
            ...run(),
            command: "sh",
            args: [
              "-c",
              'unformatted=$("$0" -l -d .); echo "$unformatted"; [ -z "$unformatted" ]',
              gofmt,
            ],
          },
        },
        { name: "go vet finds nothing", command: run("vet", "./...") },
        {
          name: "it is built",
          command: run("build", "-buildvcs=false", "-o", example, "./examples/buygold"),
        },
      ],
      examples: [{
        name: EXAMPLE,
        command: (kit, url) => ({ ...run(kit, url), command: example }),
      }],
      async test(kit) {
        const tests = run("test", "-count=1", "-json", "./...");
        const end = await runCommandOf({ ...tests, env: { ...tests.env, SABIKA_KIT: kit } });
        return { results: withEnd(readGoResults(end.stdout), end), output: end.output };
      },
    };
  },
};
