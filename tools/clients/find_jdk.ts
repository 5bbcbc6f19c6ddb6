import { onPath } from "../programs/on_path.ts";
import { runProgram } from "../programs/run_program.ts";

/** A JDK with Maven. */
export interface Jdk {
  /** `Java 17.0.9` */
  version: string;
  java: string;
  maven: string;
}

/** Options of Maven: no questions, no colours, no word about what it fetches. */
export const MAVEN_QUIET = ["-B", "-q", "-ntp", "-Dstyle.color=never"];

/** @throws Error with the reason when this machine has none */
export async function findJdk(): Promise<Jdk> {
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
