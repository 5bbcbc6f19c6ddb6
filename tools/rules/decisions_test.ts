import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkDecisions } from "./decisions.ts";

const PAGE = `# Nonces\n\n## D${25} Nonce & time\n\nStatus: built\n\nSpent once.\n`;
const ROW = `| D${25} | [Nonce & time](nonces.md#d25-nonce--time) | built |`;

function messages(page: string, index: string): string[] {
  return checkDecisions([
    { path: "docs/decisions/README.md", text: `# Decisions\n\n${index}\n` },
    { path: "docs/decisions/nonces.md", text: page },
  ]).map(({ path, message }) => `${path.split("/").at(-1)}: ${message}`);
}

test("checkDecisions() is content when each decision has its status and its row", () => {
  assertEquals(messages(PAGE, ROW), []);
});

test("checkDecisions() finds a row that is missing or says something else", () => {
  assertEquals(messages(PAGE, ""), [`README.md: misses the row ${ROW}`]);
  const planned = ROW.replace("built", "decided, not built yet");
  assertEquals(messages(PAGE, planned), [
    `README.md: misses the row ${ROW}`,
    `README.md: has a row that fits no decision: ${planned}`,
  ]);
});

test("checkDecisions() finds a decision without a status", () => {
  assertEquals(messages(PAGE.replace("Status: built\n", ""), ""), [
    "nonces.md: a heading is not `## D<number> <title>` with `Status: …` below",
  ]);
});
