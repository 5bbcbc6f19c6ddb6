import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** What is published, by the module that it is imported from. */
const PUBLISHED: Readonly<Record<string, string>> = {
  "@sabika/canonical": "packages/canonical/mod.ts",
  "@sabika/jws": "packages/jws/mod.ts",
  "@sabika/protocol": "packages/protocol/mod.ts",
  "@sabika/client": "packages/client/mod.ts",
  "@sabika/client/hono": "packages/client/hono.ts",
};

const DECLARED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const PASSED_ON = /^export (?:\*|\{([^}]*)\}) from "([^"]+)";/gm;

/** A constant is said by its doc comment. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/**
 * Every function and class that a published package exports is imported by an example: a `ts` block of
 * its README or of one of its doc comments, which a test runs. What comes from another published package
 * has its example there.
 */
export function checkExamples(files: readonly SourceFile[]): Violation[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return Object.entries(PUBLISHED).flatMap(([specifier, module]) => {
    const folder = posix.dirname(module);
    const pages = files.filter(({ path }) =>
      path.startsWith(`${folder}/`) && /(?<!_test)\.ts$|README\.md$/.test(path)
    );
    const importing = new RegExp(
      String.raw`^(?: \* )?import \{([^}]*)\} from "${specifier}";`,
      "gm",
    );
    const shown = new Set(
      pages.flatMap(({ text }) => [...text.matchAll(importing)])
        .flatMap(([, names = ""]) => names.match(/\w+/g) ?? []),
    );
    return [...exportsOf(module, texts)].filter((name) => !shown.has(name) && !CONSTANT.test(name))
      .map((name) => {
        const message = `${name} has no example: import it from "${specifier}" in a ts block here`;
        return { path: `${folder}/README.md`, line: 1, message };
      });
  });
}

/** The names of values that a module exports, of its own and from others of the repository. */
function exportsOf(path: string, texts: ReadonlyMap<string, string>): Set<string> {
  const text = texts.get(path) ?? "";
  const names = new Set(Array.from(text.matchAll(DECLARED), ([, name]) => name!));
  for (const [, listed, from = ""] of text.matchAll(PASSED_ON)) {
    if (/^(\.\.\/(canonical|jws|protocol)\/mod\.ts|@sabika\/)/.test(from)) continue;
    const all = listed?.split(",").map((name) => name.trim()) ??
      exportsOf(posix.join(posix.dirname(path), from), texts);
    for (const name of all) if (name !== "" && !name.startsWith("type ")) names.add(name);
  }
  return names;
}
