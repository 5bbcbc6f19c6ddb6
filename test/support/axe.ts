import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Runs axe on an open page and returns its violations; empty if there are none. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // Evaluated within the page, where axe was injected.
  const { violations, passes } = await page.evaluate("axe.run()") as AxeResults;
  return [
    ...(passes.length === 0 ? ["axe has checked nothing"] : []),
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
  ];
}
