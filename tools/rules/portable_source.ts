import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/**
 * Syntax that canonical, jws and protocol do without, so that k6 too loads them as they are: on the first
 * three it does not fail but hangs for ever. Globals that k6 lacks, oxlint refuses there; what Node or
 * Deno alone have, the compiler.
 */
const ABSENT: [RegExp, string][] = [
  [/\bfor await\b/, "`for await` makes k6 hang"],
  [/\basync function\s*\*|\basync \*/, "an async generator makes k6 hang"],
  [/^\s*(await )?using /, "`using` makes k6 hang"],
  [/\\p\{/, "a Unicode property class never matches in k6"],
];

/** The uses of syntax that k6 does not have. */
export function checkPortable(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  for (const [index, text] of withoutComments(file.text).split("\n").entries()) {
    for (const [pattern, message] of ABSENT) {
      if (pattern.test(text)) found.push({ path: file.path, line: index + 1, message });
    }
  }
  return found;
}

/** The text with its comments blanked out, lines kept. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/.*$/gm, "$1");
}
