import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findJdk, MAVEN_QUIET } from "../clients/find_jdk.ts";
import { check, type Subject } from "../clients/subject.ts";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { checkPin } from "../programs/fetch_packages.ts";
import { mustRun } from "../programs/run_program.ts";
import { DOCUMENT } from "./document.ts";

const VERSION = "7.17.0";
const PIN = "sha256:25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8";

/** OpenAPI Generator: a client for the JDK's own HttpClient, built by Maven. */
export const javaClient: Subject = {
  name: "java",
  async prepare(scratch) {
    const { version, java, maven } = await findJdk();
    const repository = join(cacheFolder("contract"), "maven");
    await mkdir(repository, { recursive: true });
    const mvn = (...args: string[]) => [
      ...MAVEN_QUIET,
      `-Dmaven.repo.local=${repository}`,
      ...args,
    ];
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
    const generate = [
      ...["-jar", join(folder, jar), "generate", "-i", DOCUMENT, "-g", "java", "-o", out],
      ...["--library", "native", "--additional-properties=openApiNullable=false"],
      "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false",
    ];
    return {
      version,
      checks: [
        check("OpenAPI Generator makes a Java client of it", {
          command: java,
          args: generate,
          cwd: scratch,
        }),
        check("it compiles", { command: maven, args: mvn("compile"), cwd: out }),
      ],
    };
  },
};
