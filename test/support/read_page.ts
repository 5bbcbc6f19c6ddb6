import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What a reader has of a page in a real browser, and what axe finds in it, in light and in dark. */
export async function readPage(file: string) {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const url = pathToFileURL(file).href;
    const violations: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await page.addScriptTag({ path: AXE });
      // Within the page, where axe has put itself.
      const found = await page.evaluate("axe.run()") as AxeResults;
      violations.push(...found.violations.map(({ id }) => `${colorScheme}: ${id}`));
    }
    return {
      text: await page.locator("main").innerText(),
      headings: await page.locator("h2").allInnerTexts(),
      plots: await Promise.all(
        (await page.locator("svg").all()).map(async (svg) =>
          await svg.getAttribute("aria-label") ?? ""
        ),
      ),
      asked: asked.filter((one) => one !== url),
      violations,
    };
  } finally {
    await browser.close();
  }
}
