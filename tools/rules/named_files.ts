import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT, type SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** Matches a path from the repository's root in a text; it ends before a wildcard or an ellipsis. */
const PATH = /(?<![\w./@:-])(?:packages|clients|loadtest|test|tools|docs)\/[\w./-]*\w/g;
/** Matches a file's name without its folder on a page. */
const NAME = /(?<=`)[a-z]\w*\.(?:tsx?|mjs|sql|md)(?=`)/g;
/** Matches the target of a page's link, unless it has a scheme such as `https:`. */
const LINK = /\]\((?![a-z]+:)([^)\s]+)\)/g;
const READ = /\.(tsx?|mts|mjs|sql|md|ya?ml)$/;
/** The page whose tables name a test in each line, and a line that does not. */
const THREATS = "docs/threat-model.md";
const UNSHOWN = /^\| (?!tries )(?!.*_test\.ts`)/;
/** Matches tests, which may name invented files. */
const IS_TEST = /_test\.ts$/;

/**
 * Finds files and folders that pages and comments name, and files and headings that pages link to, but
 * that do not exist; and threats that no test is named for.
 */
export function checkNamedFiles(files: readonly SourceFile[]): Violation[] {
  const paths = new Set(files.flatMap(({ path }) => withFolders(path)));
  const names = new Set(files.map(({ path }) => posix.basename(path)));
  const pages = files.filter(({ path }) => path.endsWith(".md"));
  const headings = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  const isThere = (page: string, link: string) => {
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? page : posix.join(posix.dirname(page), file).replace(/\/$/, "");
    // `files` has only text files, so pictures are looked for on the disk.
    return (paths.has(target) || existsSync(join(ROOT, target))) &&
      (anchor === undefined || headings.get(target)?.has(anchor) !== false);
  };
  const found: Violation[] = [];
  for (const { path, text } of files.filter(({ path }) => READ.test(path) && !IS_TEST.test(path))) {
    const isPage = headings.has(path);
    const linked = isPage ? withoutCode(text).split("\n") : [];
    for (const [index, line] of text.split("\n").entries()) {
      const missing = (line.match(PATH) ?? [])
        .filter((name) => !paths.has(sourceOf(name)) && !name.includes("/node_modules/"));
      if (isPage) missing.push(...(line.match(NAME) ?? []).filter((name) => !names.has(name)));
      const links = Array.from((linked[index] ?? "").matchAll(LINK), ([, link]) => link!);
      const messages = [
        ...missing.map((name) => `there is no ${name}`),
        ...links.filter((link) => !isThere(path, link)).map((link) => `${link} leads nowhere`),
        ...path === THREATS && UNSHOWN.test(line) ? ["no test is named that shows it"] : [],
      ];
      for (const message of messages) found.push({ path, line: index + 1, message });
    }
  }
  return found;
}

/** Returns the source of a program in a build, which is at the same path as JavaScript. */
function sourceOf(path: string): string {
  return path.replace(/\.js$/, ".ts");
}

function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Returns the anchors of a page's headings: `## You run it` has `you-run-it`. */
function anchorsOf(page: string): Set<string> {
  const headings = withoutCode(page).toLowerCase().matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(
      headings,
      ([, heading]) => heading!.replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-"),
    ),
  );
}

/** Replaces code blocks by blank lines. */
function withoutCode(text: string): string {
  return text.replace(/```[^]*?```/g, (block) => block.replace(/[^\n]/g, ""));
}
