import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkReferences } from "./references.ts";

// Numbers are put in, so that this file cites nothing by itself.
const [SEVEN, EIGHT, NINE] = ["07", "08", "09"];

const PAGES = [
  { path: "docs/specification.md", text: "# The service\n\n## 5. Authentication\n" },
  { path: "docs/decisions/README.md", text: "## Decisions\n" },
  { path: "docs/decisions/nonces.md", text: `# Nonces\n\n## D${25} Nonce\n` },
  {
    path: "docs/faults.md",
    text:
      `| I${7} | once |\n\n### F${SEVEN} Killed\nTests: \`kill_test.ts\`.\n### F${EIGHT} Hung\n`,
  },
  { path: "packages/core/kill_test.ts", text: `test("F${SEVEN}: killed", () => {});` },
];

function messages(path: string, text: string): string[] {
  return checkReferences([...PAGES, { path, text }]).map(({ path, line, message }) =>
    `${path}:${line}: ${message}`
  );
}

test("checkReferences() is content where every number leads to a heading", () => {
  const text = `/** Spec §${5} Token; Decision D${25}; fault F${SEVEN}, I${7}. */`;
  assertEquals(messages("packages/core/kill.ts", text), []);
});

test("checkReferences() finds every kind of reference that leads nowhere, with its line", () => {
  const text =
    `// Decision D${99}\n// Decisions D${25} and D${250}; Spec §${10}\n// (F${NINE}, I${8})`;
  assertEquals(messages("packages/core/kill.ts", text), [
    `packages/core/kill.ts:1: D${99} leads nowhere: no page in docs/decisions has a heading for it`,
    `packages/core/kill.ts:2: D${250} leads nowhere: no page in docs/decisions has a heading for it`,
    `packages/core/kill.ts:3: F${NINE} leads nowhere: docs/faults.md has no heading for it`,
    `packages/core/kill.ts:3: I${8} leads nowhere: docs/faults.md has no row for it`,
    `packages/core/kill.ts:2: Spec §${10} leads nowhere: docs/specification.md has no heading for it`,
  ]);
});

test("checkReferences() takes no escape, colour, path, key or longer word for a reference", () => {
  const text =
    `"%D${99}" "\\uD${800}" "#F${NINE}" "0xF${NINE}" "F${1}" "aD${99}=" "MD${5}" "D${99}x"`;
  assertEquals(messages("packages/core/kill.ts", text), []);
  assertEquals(messages("package-lock.json", `"integrity": "sha512-D${99} F${NINE}"`), []);
});

test("checkReferences() finds what cites an issue of ours instead of a decision", () => {
  assertEquals(
    messages("packages/core/kill.ts", `// porsager/postgres issue 1216\n// Issue ${4}`),
    [
      `packages/core/kill.ts:2: Issue ${4} is not in the repository: cite the decision`,
    ],
  );
});

test("checkReferences() finds a number that is given twice", () => {
  assertEquals(messages("docs/decisions/other.md", `## D${25} Another nonce\n`), [
    `docs/decisions/other.md:1: ## D${25} is there twice`,
  ]);
});

test("checkReferences() holds the catalogue of faults to the test files", () => {
  assertEquals(messages("packages/core/hang_test.ts", `// F${SEVEN} to\n// F${EIGHT}`), [
    `packages/core/hang_test.ts:1: cites F${SEVEN}, but docs/faults.md does not name it there`,
    `packages/core/hang_test.ts:1: cites F${EIGHT}, but docs/faults.md does not name it there`,
  ]);
  const renamed = PAGES.filter(({ path }) => !path.endsWith("kill_test.ts"));
  assertEquals(checkReferences(renamed), [
    { path: "docs/faults.md", line: 4, message: "there is no test file kill_test.ts" },
  ]);
});
