import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { type Command, EXAMPLE, type Language, runCommandOf, withEnd } from "./language.ts";
import { readJunit } from "./read_junit.ts";

const FOLDER = join(ROOT, "clients", "python");
const REQUIREMENTS = join(FOLDER, "requirements-dev.txt");

/** clients/python: its wheel is built and installed, and the tests run against what is installed. */
export const python: Language = {
  name: "python",
  async prepare(scratch) {
    const python3 = onPath("python3");
    if (python3 === undefined) throw new Error("python3 is not on the PATH");
    const version = (await mustRun(python3, ["--version"])).trim();
    const [, minor = 0] = /^Python 3\.(\d+)/.exec(version) ?? [];
    if (Number(minor) < 10) throw new Error(`${version} is too old: it takes 3.10 or later`);
    const packages = await fetchRequirements(python3, version);
    const installed = join(scratch, "installed");
    const run = (path: readonly string[], ...args: string[]): Command => ({
      command: python3,
      args: ["-s", ...args],
      cwd: FOLDER,
      env: { PYTHONPATH: path.join(delimiter), PYTHONDONTWRITEBYTECODE: "1" },
    });
    const pip = (...args: string[]) =>
      run([packages], "-m", "pip", ...args, "--quiet", "--no-deps", "--disable-pip-version-check");
    const wheel = join(scratch, "sabika_client-1.0.0-py3-none-any.whl");
    return {
      version,
      checks: [
        {
          name: "the types are right (mypy --strict)",
          command: run([packages], "-m", "mypy", "--cache-dir", join(scratch, "mypy")),
        },
        {
          name: "the wheel is built",
          command: pip("wheel", "--no-build-isolation", "--wheel-dir", scratch, "."),
        },
        { name: "the wheel is installed", command: pip("install", "--target", installed, wheel) },
      ],
      examples: [{
        name: EXAMPLE,
        command: (kit, url) => run([installed, packages], "examples/buy_gold.py", kit, url),
      }],
      async test(kit) {
        const report = join(scratch, "report.xml");
        const command = run(
          [installed, packages],
          ...["-m", "pytest", "-q", "-p", "no:cacheprovider", `--junitxml=${report}`],
        );
        const end = await runCommandOf({ ...command, env: { ...command.env, SABIKA_KIT: kit } });
        const results = readJunit(await readFile(report, "utf8").catch(() => ""));
        return { results: withEnd(results, end), output: end.output };
      },
    };
  },
};

/** httpx, cryptography and the tools at their pinned versions, in a folder of the cache. */
async function fetchRequirements(python3: string, version: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(REQUIREMENTS)).digest("hex").slice(0, 12);
  const name = `${version.toLowerCase().replaceAll(" ", "-")}-${hash}`;
  return await fetchOnce(join(cacheFolder("clients"), name), async (folder) => {
    await mustRun(python3, [
      ...["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"],
      ...["--only-binary", ":all:", "--target", folder, "--requirement", REQUIREMENTS],
    ]);
  });
}
