import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Command, runCommandOf } from "../clients/language.ts";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { onPath } from "../programs/on_path.ts";
import { checkPin } from "../programs/pinned_archive.ts";
import { mustRun } from "../programs/run_program.ts";
import { DOCUMENT } from "./document.ts";
import { type Judge, resultOf } from "./judge.ts";

const VERSION = "7.17.0";
const PIN = "sha256:25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8";
const QUIET = ["-B", "-q", "-ntp", "-Dstyle.color=never"];

/** OpenAPI Generator: a client for the JDK's own HttpClient, built by Maven. */
export const javaClient: Judge = {
  name: "java",
  async prepare(scratch) {
    const [java, maven] = [onPath("java"), onPath("mvn")];
    if (java === undefined || onPath("javac") === undefined) throw new Error("no JDK is here");
    if (maven === undefined) throw new Error("mvn is not on the PATH");
    const repository = join(cacheFolder("contract"), "maven");
    await mkdir(repository, { recursive: true });
    const mvn = (...args: string[]) => [...QUIET, `-Dmaven.repo.local=${repository}`, ...args];
    const jar = `openapi-generator-cli-${VERSION}.jar`;
    const folder = await fetchOnce(join(cacheFolder("contract"), jar), async (part) => {
      await mustRun(
        maven,
        mvn(
          "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
          `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`,
          `-DoutputDirectory=${part}`,
        ),
      );
      await checkPin(join(part, jar), PIN);
    });
    const out = join(scratch, "client");
    const command = (command: string, args: string[], cwd: string): Command => ({
      ...{ command, args, cwd, env: {} },
    });
    return async () => {
      const made = await runCommandOf(command(java, [
        ...["-jar", join(folder, jar), "generate", "-i", DOCUMENT, "-g", "java", "-o", out],
        ...["--library", "native", "--additional-properties=openApiNullable=false"],
        "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false",
      ], scratch));
      const results = [resultOf("OpenAPI Generator makes a Java client of it", made)];
      if (!made.ok) return { results, output: made.output };
      const built = await runCommandOf(command(maven, mvn("compile"), out));
      results.push(resultOf("it compiles", built));
      return { results, output: made.output + built.output };
    };
  },
};
