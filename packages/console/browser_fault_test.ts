import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { BrowserContextOptions, Page } from "playwright-core";
import { violationsOn } from "../../test/support/axe.ts";
import { openTestConsole } from "../../test/support/test_console.ts";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";

const site = await openTestConsole();
const browser = await launchChromium();
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

/** Screens of a desk, a tablet and a phone; a page at 200 % on a desk's is half as wide. */
const WIDTHS = [2560, 1440, 1024, 720, 390, 320];

/** Finds, for each width of the screen, what is outside it: fields, buttons and links, or the page. */
async function outsideOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const outside = await page.evaluate(
      `Array.from(document.querySelectorAll("a, button, input, select"))
      .filter((element) => element.checkVisibility() && !element.matches(".skip, [type=hidden]"))
      .map((element) => [element.outerHTML, element.getBoundingClientRect()])
      .filter(([, { left, right }]) => left < 0 || right > document.documentElement.clientWidth)
      .map(([html]) => html)
      .concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])`,
    ) as string[];
    found.push(...outside.map((html) => `${width}: ${html}`));
  }
  return found;
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page in ${colorScheme}, and all that acts is in sight`, async () => {
    const found = await visit({ colorScheme }, async (page) => [
      ...await violationsOn(page),
      ...await outsideOf(page),
    ]);
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

test("a click on an id copies it whole, and / leads to the search", async () => {
  const context = await browser.newContext({
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await site.answer(context, (url) => {
    throw new Error(url);
  });
  const page = await context.newPage();
  await page.goto(`${site.origin}/en/orders`);
  const id = page.locator("tbody .id").first();
  const text = await id.getAttribute("title");
  assertEquals(text?.length, 40);
  await id.click();
  await page.getByRole("status").filter({ hasText: text! }).waitFor();
  assertEquals(await page.evaluate("navigator.clipboard.readText()"), text);
  await page.keyboard.press("/");
  await page.keyboard.type("bank");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site.origin}/en/search?q=bank`);
  await context.close();
});

test("the file of a document is hashed in the browser, and no form sends it", async () => {
  const context = await browser.newContext();
  await site.answer(context, (url) => {
    throw new Error(url);
  });
  const page = await context.newPage();
  await page.goto(`${site.origin}/en/partners/harbour-bank`);
  const { acts, fields, partnerFile } = MESSAGES.en;
  await page.getByText(acts["partner.document.set"], { exact: true }).first().click();
  const file = { name: "licence.pdf", mimeType: "application/pdf", buffer: Buffer.from("abc") };
  const picker = page.getByLabel(partnerFile.file);
  await picker.setInputFiles(file);
  const field = page.getByLabel(fields.document_sha256, { exact: true });
  // FIPS 180-2, appendix B.1.
  const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  await page.waitForFunction(
    `document.querySelector('[name="given.document_sha256"]').value !== ""`,
  );
  assertEquals(await field.inputValue(), sha256);
  assertEquals(await picker.locator("xpath=ancestor::form").count(), 0);
  await context.close();
});
