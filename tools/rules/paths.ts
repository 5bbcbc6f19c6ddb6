import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** A path from the repository's root, as people write it; a wildcard or an ellipsis ends it. */
const PATH = /(?<![\w./@:-])(?:packages|clients|loadtest|test|tools|docs)\/[\w./-]*\w/g;
/** A file named on a page without its folder. */
const NAME = /(?<=`)[a-z]\w*\.(?:tsx?|mjs|sql|md)(?=`)/g;
const READ = /\.(tsx?|mts|mjs|sql|md|ya?ml)$/;
/** Tests make up trees of their own. */
const IS_TEST = /_test\.ts$/;

/** The files and folders that pages and comments name and that are not there. */
export function checkPaths(files: readonly SourceFile[]): Violation[] {
  const paths = new Set(files.flatMap(({ path }) => withFolders(path)));
  const names = new Set(files.map(({ path }) => posix.basename(path)));
  const found: Violation[] = [];
  for (const { path, text } of files.filter(({ path }) => READ.test(path) && !IS_TEST.test(path))) {
    for (const [index, line] of text.split("\n").entries()) {
      const missing = (line.match(PATH) ?? []).filter((path) => !paths.has(sourceOf(path)));
      if (path.endsWith(".md")) {
        missing.push(...(line.match(NAME) ?? []).filter((name) => !names.has(name)));
      }
      for (const name of missing) {
        if (name.includes("/node_modules/")) continue;
        found.push({ path, line: index + 1, message: `there is no ${name}` });
      }
    }
  }
  return found;
}

/** A build has a program under its source's path, as JavaScript. */
function sourceOf(path: string): string {
  return path.replace(/\.js$/, ".ts");
}

function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
