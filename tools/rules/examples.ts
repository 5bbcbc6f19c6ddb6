import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const SURFACE = "docs/public_surface.json";
const VALUE = /^export (\S+) (\w+): (?:function|class|variable)$/;
/** Matches constants, which need no example. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
/** Matches the files that may have examples, `ts` blocks of pages and doc comments, which a test runs. */
const PAGE = /^packages\/(canonical|jws|protocol|client)\/.*((?<!_test)\.ts|README\.md)$/;
const IMPORT = /^(?: \* )?import \{([^}]*)\} from "@sabika\/[\w/]+";/gm;

/** Checks that an example imports each function and class that a published package exports. */
export function checkExamples(files: readonly SourceFile[]): Violation[] {
  const surface = files.find(({ path }) => path === SURFACE);
  const { lines, added, removed } = JSON.parse(surface!.text) as Record<string, string[]>;
  const shown = new Set(
    files.filter(({ path }) => PAGE.test(path))
      .flatMap(({ text }) => [...text.matchAll(IMPORT)])
      .flatMap(([, names = ""]) => names.match(/\w+/g) ?? []),
  );
  return [...lines!, ...added!].filter((line) => !removed!.includes(line)).flatMap((line) => {
    const [, specifier, name = "A"] = VALUE.exec(line) ?? [];
    if (CONSTANT.test(name) || shown.has(name)) return [];
    const message = `${name} has no example that imports it from "${specifier}"`;
    return [{ path: SURFACE, line: 1, message }];
  });
}
