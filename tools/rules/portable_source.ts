import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/**
 * What canonical, jws and protocol do without, so that k6 too loads them as they are. On the first three
 * it does not fail but hangs for ever. What Node or Deno alone have, the compiler refuses there.
 */
const ABSENT: [RegExp, string][] = [
  [/\bfor await\b/, "`for await` makes k6 hang"],
  [/\basync function\s*\*|\basync \*/, "an async generator makes k6 hang"],
  [/^\s*(await )?using /, "`using` makes k6 hang"],
  [/(?<![\w.])(atob|btoa)\(/, "k6 has no atob and btoa"],
  [/\bnew URL(SearchParams)?\(/, "k6 has no URL"],
  [
    /(?<![\w.])(structuredClone|queueMicrotask)\(/,
    "k6 has neither structuredClone nor queueMicrotask",
  ],
  [/(?<![\w.])(Intl|performance)\./, "k6 has neither Intl nor performance"],
  [/\\p\{/, "a Unicode property class never matches in k6"],
];

/** The uses of syntax and globals that k6 does not have. */
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
