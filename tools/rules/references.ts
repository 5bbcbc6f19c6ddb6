/**
 * Checks references by number: decisions, faults, invariants and sections of the specification that code
 * and pages cite must exist in the repository.
 */
import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import { lineOf, type Violation } from "./violation.ts";

const FAULTS = "docs/faults.md";

interface Kind {
  /** Matches a citation; the first group is the number. */
  readonly cited: RegExp;
  /** Matches the pages that define the numbers. */
  readonly page: RegExp;
  /** Matches a definition on those pages; the first group is the number. */
  readonly heading: RegExp;
  readonly where: string;
}

const KINDS: readonly Kind[] = [
  {
    cited: /(?<![\w#%\\/+=-])D([1-9]\d{0,2})(?![\w/+=])/g,
    page: /^docs\/decisions\/(?!README\.md).+\.md$/,
    heading: /^## D([1-9]\d*) /gm,
    where: "no page in docs/decisions has a heading for it",
  },
  {
    cited: /(?<![\w#%\\/+=-])F(\d\d)(?![\w/+=])/g,
    page: /^docs\/faults\.md$/,
    heading: /^### F(\d\d) /gm,
    where: `${FAULTS} has no heading for it`,
  },
  {
    cited: /(?<![\w#%\\/+=-])I([1-9]\d?)(?![\w/+=])/g,
    page: /^docs\/faults\.md$/,
    heading: /^\| I([1-9]\d?) \|/gm,
    where: `${FAULTS} has no row for it`,
  },
  {
    cited: /\bSpec §(\d+)/g,
    page: /^docs\/specification\.md$/,
    heading: /^## (\d+)\. /gm,
    where: "docs/specification.md has no heading for it",
  },
  {
    // Other projects' issues have long numbers.
    cited: /\bissue (\d{1,2})\b/gi,
    page: /^$/,
    heading: /^$/g,
    where: "issues are not in the repository: cite the decision",
  },
];

/** Matches files that people write, unlike generated files, figures or keys. */
const WRITTEN = /(\.(tsx?|mts|mjs|sql|md|ya?ml|go|py|java|sh)|\/run|Dockerfile)$/;

/** Finds references to undefined numbers or outside the repository, and numbers defined twice. */
export function checkReferences(files: readonly SourceFile[]): Violation[] {
  const written = files.filter(({ path }) => WRITTEN.test(path));
  return [
    ...KINDS.flatMap((kind) => checkKind(kind, written)),
    ...checkFaultTests(written),
  ];
}

function checkKind(
  { cited, page, heading, where }: Kind,
  files: readonly SourceFile[],
): Violation[] {
  const found: Violation[] = [];
  const known = new Set<string>();
  for (const { path, text } of files.filter((file) => page.test(file.path))) {
    for (const match of text.matchAll(heading)) {
      const number = match[1]!;
      const line = lineOf(text, match.index);
      if (known.has(number)) {
        found.push({ path, line, message: `${match[0].trim()} is there twice` });
      }
      known.add(number);
    }
  }
  for (const { path, text } of files) {
    for (const match of text.matchAll(cited)) {
      if (known.has(match[1]!)) continue;
      const line = lineOf(text, match.index);
      found.push({ path, line, message: `${match[0]} leads nowhere: ${where}` });
    }
  }
  return found;
}

/** Finds test files that cite a fault whose entry in the catalogue does not name them. */
function checkFaultTests(files: readonly SourceFile[]): Violation[] {
  const catalogue = files.find(({ path }) => path === FAULTS)?.text ?? "";
  const entries = new Map(
    Array.from(
      catalogue.matchAll(/^### F(\d\d) (?:(?!^##)[^])*/gm),
      ([entry, number]) => [number, entry],
    ),
  );
  return files.filter(({ path }) => path.endsWith("_test.ts")).flatMap(({ path, text }) =>
    [...faultsIn(text)]
      .filter((number) => entries.get(number)?.includes(`\`${posix.basename(path)}\``) === false)
      .map((number) => ({
        path,
        line: 1,
        message: `cites F${number}, but ${FAULTS} does not name it there`,
      }))
  );
}

/** Returns the faults that a test cites; `F43 to F46` stands for four. */
function faultsIn(text: string): Set<string> {
  const found = new Set<string>();
  const mentions = text.matchAll(/\bF(\d\d)\b(?: to\s(?:\W*)F(\d\d)\b)?/g);
  for (const [, first = "", last = first] of mentions) {
    for (let n = Number(first); n <= Number(last); n++) found.add(String(n).padStart(2, "0"));
  }
  return found;
}
