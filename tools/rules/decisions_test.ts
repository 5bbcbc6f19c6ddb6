import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkDecisions } from "./decisions.ts";

const PAGE = `# Nonces\n\n## D${25} Nonce & time\n\nStatus: built\n\nSpent once.\n`;
const LINE = `- [Nonces](nonces.md): D${25}`;

function messages(page: string, index: string): string[] {
  return checkDecisions([
    { path: "docs/decisions/README.md", text: `# Decisions\n\n${index}\n` },
    { path: "docs/decisions/nonces.md", text: page },
  ]).map(({ path, message }) => `${path.split("/").at(-1)}: ${message}`);
}

test("checkDecisions() is content when each decision has its status, each page its line", () => {
  assertEquals(messages(PAGE, LINE), []);
});

test("checkDecisions() finds a line that is missing or says something else", () => {
  assertEquals(messages(PAGE, ""), [`README.md: misses the line ${LINE}`]);
  const other = LINE.replace("25", "26");
  assertEquals(messages(PAGE, other), [
    `README.md: misses the line ${LINE}`,
    `README.md: has a line that fits no page: ${other}`,
  ]);
});

test("checkDecisions() finds a decision without a status", () => {
  assertEquals(messages(PAGE.replace("Status: built\n", ""), LINE), [
    "nonces.md: a heading is not `## D<number> <title>` with `Status: …` below",
    "README.md: misses the line - [Nonces](nonces.md): ",
    `README.md: has a line that fits no page: ${LINE}`,
  ]);
});
