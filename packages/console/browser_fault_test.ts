import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { violationsOn } from "../../test/support/axe.ts";
import { openTestConsole, type TestConsole } from "../../test/support/test_console.ts";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { LANGUAGES } from "./languages/languages.ts";

let site: TestConsole;
let browser: Browser;
before(async () => {
  site = await openTestConsole();
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await site.close();
});

/** Opens every page in a browser in turn; returns the findings of `look` and of the browser. */
async function visit(
  options: BrowserContextOptions,
  look: (page: Page, path: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const context = await browser.newContext(options);
  const found: string[] = [];
  await site.answer(context, (url) => found.push(`asked ${url}`));
  const page = await context.newPage();
  page.on("console", (message) => found.push(message.text()));
  page.on("pageerror", (error) => found.push(error.message));
  for (const language of LANGUAGES) {
    for (const path of site.paths) {
      await page.goto(`${site.origin}/${language}${path}`);
      found.push(...(await look(page, path)).map((finding) => `/${language}${path}: ${finding}`));
    }
  }
  await context.close();
  return found;
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page in ${colorScheme}, in English and in Arabic`, async () => {
    const found = await visit({ colorScheme }, violationsOn);
    assertEquals(found, []);
  });
}

test("without scripts every page is complete, and the first Tab leads to its content", async () => {
  const found = await visit({ javaScriptEnabled: false }, async (page) => {
    await page.keyboard.press("Tab");
    const first = await page.locator(":focus").getAttribute("href");
    const headings = await page.locator("main h1").count();
    const lost = await page.locator("form:not([action]), form:not(:has(button))").count();
    return [
      ...(first === "#main" ? [] : [`the first key leads to ${first}`]),
      ...(headings === 1 ? [] : [`${headings} headings`]),
      ...(lost === 0 ? [] : [`${lost} forms lead nowhere`]),
    ];
  });
  assertEquals(found, []);
});

test("on a narrow screen nothing but tables scrolls sideways", async () => {
  const found = await visit({ viewport: { width: 360, height: 740 } }, async (page) => {
    const width = await page.evaluate("document.documentElement.scrollWidth");
    return width === 360 ? [] : [`${String(width)} wide`];
  });
  assertEquals(found, []);
});
