import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/**
 * Syntax that canonical, jws and protocol avoid, so that k6 loads them as they are (the first three make
 * it hang rather than fail) and every answer follows from the arguments. oxlint refuses globals that k6
 * lacks; the compiler refuses those that only Node or Deno have.
 */
const ABSENT: [RegExp, string][] = [
  [/\bfor await\b/, "`for await` makes k6 hang"],
  [/\basync function\s*\*|\basync \*/, "an async generator makes k6 hang"],
  [/^\s*(await )?using /, "`using` makes k6 hang"],
  [/\\[pP]\{/, "a Unicode property class never matches in k6"],
  [/\bimport\s*\(/, "k6 cannot import while it runs"],
  [/\bnew Date\(\)/, "the caller gives the time"],
];

/** Finds syntax in a file that a portable package avoids; comments do not count. */
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
