import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const PAGE = "ARCHITECTURE.md";
/** Matches source files, whose folders need a row. */
const SOURCE = /^(packages|clients|loadtest|test|tools)\/.*\.(tsx?|mts|mjs|sql|py|go|java)$/;
const FOLDER_ROW = /^\| `((?:packages|clients|loadtest|test|tools|docs)[\w/-]*)` \| ./gm;

/** Checks that each folder with source has a row in ARCHITECTURE.md, which says its purpose. */
export function checkArchitecture(files: readonly SourceFile[]): Violation[] {
  const text = files.find(({ path }) => path === PAGE)?.text ?? "";
  const stated = new Set(Array.from(text.matchAll(FOLDER_ROW), ([, folder]) => folder));
  const folders = new Set(
    files.map(({ path }) => path).filter((path) => SOURCE.test(path)).map(folderOf),
  );
  return [...folders].filter((folder) => !stated.has(folder))
    .map((folder) => ({
      path: PAGE,
      line: 1,
      message: `has no row that says what ${folder} is for`,
    }));
}

/** Returns the folder of a file; for clients in other languages, the client's top folder. */
function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return path.startsWith("clients/") ? folder.split("/").slice(0, 2).join("/") : folder;
}
