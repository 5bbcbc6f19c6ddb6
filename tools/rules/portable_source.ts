import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/**
 * Syntax that canonical, jws and protocol must not use, so that k6 can load them (the first three make it
 * hang rather than fail) and results depend only on arguments. oxlint refuses globals that k6 lacks; the
 * compiler refuses those that only Node or Deno have.
 */
const ABSENT: [RegExp, string][] = [
  [/\bfor await\b/, "`for await` makes k6 hang"],
  [/\basync function\s*\*|\basync \*/, "an async generator makes k6 hang"],
  [/^\s*(await )?using /, "`using` makes k6 hang"],
  [/\\[pP]\{/, "a Unicode property class never matches in k6"],
  [/\bimport\s*\(/, "k6 cannot import while it runs"],
  [/\bnew Date\(\)/, "the caller gives the time"],
];

/** Finds syntax that a portable package must not use, outside of comments. */
export function checkPortable(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  for (const [index, text] of withoutComments(file.text).split("\n").entries()) {
    for (const [pattern, message] of ABSENT) {
      if (pattern.test(text)) found.push({ path: file.path, line: index + 1, message });
    }
  }
  return found;
}

/** Replaces comments by blanks, keeping the lines. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/.*$/gm, "$1");
}
