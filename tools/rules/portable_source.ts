import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/**
 * What canonical, jws and protocol do without, so that k6 too loads them as they are (on the first three
 * it does not fail but hangs for ever) and every answer follows from the arguments. Globals that k6
 * lacks, oxlint refuses there; what Node or Deno alone have, the compiler.
 */
const ABSENT: [RegExp, string][] = [
  [/\bfor await\b/, "`for await` makes k6 hang"],
  [/\basync function\s*\*|\basync \*/, "an async generator makes k6 hang"],
  [/^\s*(await )?using /, "`using` makes k6 hang"],
  [/\\[pP]\{/, "a Unicode property class never matches in k6"],
  [/\bimport\s*\(/, "k6 cannot import while it runs"],
  [/\bnew Date\(\)/, "the caller gives the time"],
];

/** The uses of what a portable package does without. */
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
