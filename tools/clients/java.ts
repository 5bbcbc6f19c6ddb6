import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun, runProgram } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { type Command, EXAMPLE, type Language, runCommandOf, withEnd } from "./language.ts";
import { readJunit } from "./read_junit.ts";

const FOLDER = join(ROOT, "clients", "java");

const QUIET = ["-B", "-q", "-ntp", "-Dstyle.color=never"];

/** clients/java: built by Maven, with its plugins and JUnit in the cache folder. */
export const java: Language = {
  name: "java",
  async prepare(scratch) {
    const command = onPath("java");
    const maven = onPath("mvn");
    if (command === undefined || onPath("javac") === undefined) throw new Error("no JDK is here");
    if (maven === undefined) throw new Error("mvn is not on the PATH");
    // `java -version` says it on stderr.
    const { stderr } = await runProgram(command, ["-version"]);
    const [, version = "", major = 0] = /version "((\d+)[^"]*)"/.exec(stderr) ?? [];
    if (Number(major) < 17) throw new Error(`Java ${version} is too old: it takes 17 or later`);
    const repository = await fetchRepository(maven);
    const built = join(scratch, "target");
    const mvn = (...args: string[]): Command => ({
      command: maven,
      args: [
        ...QUIET,
        "-o",
        `-Dmaven.repo.local=${repository}`,
        `-DbuildDirectory=${built}`,
        ...args,
      ],
      cwd: FOLDER,
      env: {},
    });
    return {
      version: `Java ${version}`,
      checks: [{ name: "it is built without a warning", command: mvn("package", "-DskipTests") }],
      examples: [{
        name: EXAMPLE,
        command: (kit, url) => ({
          ...mvn(),
          command,
          args: ["-cp", join(built, "classes"), join("examples", "BuyGold.java"), kit, url],
        }),
      }],
      async test(kit) {
        const end = await runCommandOf({ ...mvn("test"), env: { SABIKA_KIT: kit } });
        const results = readJunit(await readReports(join(built, "surefire-reports")));
        return { results: withEnd(results, end), output: end.output };
      },
    };
  },
};

/**
 * Maven's plugins and JUnit in a repository of the cache: fetched by building a project of the same
 * pom.xml with nothing but an empty test, so that what fails here is the fetching and not our source.
 */
async function fetchRepository(maven: string): Promise<string> {
  const pom = await readFile(join(FOLDER, "pom.xml"));
  const hash = createHash("sha256").update(pom).digest("hex").slice(0, 12);
  return await fetchOnce(join(cacheFolder("clients"), `maven-${hash}`), async (repository) => {
    const project = await mkdtemp(join(tmpdir(), "sabika-maven-"));
    try {
      const tests = join(project, "src", "test", "java");
      await mkdir(tests, { recursive: true });
      await writeFile(join(project, "pom.xml"), pom);
      const test = "class EmptyTest { @org.junit.jupiter.api.Test void isEmpty() {} }\n";
      await writeFile(join(tests, "EmptyTest.java"), test);
      const args = [...QUIET, `-Dmaven.repo.local=${repository}`, "package"];
      await mustRun(maven, args, { cwd: project });
    } finally {
      await rm(project, { recursive: true, force: true });
    }
  });
}

/** All reports of surefire, one after another. */
async function readReports(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const reports = names.filter((name) => /^TEST-.*\.xml$/.test(name)).sort();
  return (await Promise.all(reports.map((name) => readFile(join(folder, name), "utf8")))).join(
    "\n",
  );
}
