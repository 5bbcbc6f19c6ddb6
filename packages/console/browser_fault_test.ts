import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openServedConsole } from "../../test/support/served_console.ts";
import { openTestConsole, type TestConsole } from "../../test/support/test_console.ts";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";

const AXE = await readFile(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

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

/** Every page, one after the other, in a browser to which the console answers; what was said of them. */
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
      found.push(...(await look(page, path)).map((one) => `/${language}${path}: ${one}`));
    }
  }
  await context.close();
  return found;
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page in ${colorScheme}, in English and in Arabic`, async () => {
    const found = await visit({ colorScheme }, async (page) => {
      await page.evaluate(AXE);
      // Within the page, where axe has put itself.
      const { violations, passes } = await page.evaluate("axe.run()") as AxeResults;
      return [
        ...(passes.length === 0 ? ["axe has checked nothing"] : []),
        ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      ];
    });
    assertEquals(found, []);
  });
}

test("without scripts every page is whole, and the first key leads to its content", async () => {
  const found = await visit({ javaScriptEnabled: false }, async (page) => {
    await page.keyboard.press("Tab");
    const first = await page.locator(":focus").getAttribute("href");
    const headings = await page.locator("main h1").count();
    return [
      ...(first === "#main" ? [] : [`the first key leads to ${first}`]),
      ...(headings === 1 ? [] : [`${headings} headings`]),
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

for (const language of LANGUAGES) {
  test(`somebody registers a passkey, signs in, and two pay a withdrawal, in ${language}`, async () => {
    const words = MESSAGES[language];
    const office = await openServedConsole();
    const withdrawal = await office.withdrawal();
    const people: Page[] = [];
    for (const name of ["amal", "badr"]) {
      const context = await browser.newContext();
      const page = await context.newPage();
      people.push(page);
      await addAuthenticator(page);
      await page.goto(`${office.origin}/${language}/enrol#${await office.invite(name)}`);
      await page.getByRole("button", { name: words.enrol.button }).click();
      await page.getByRole("heading", { name: words.pages.overview }).waitFor();
      assertEquals(page.url(), `${office.origin}/${language}`);
    }
    const [amal, badr] = people as [Page, Page];
    try {
      // Out, and in again by the passkey alone.
      await amal.getByRole("button", { name: words.signOut }).click();
      await amal.getByRole("button", { name: words.signIn.button }).click();
      await amal.getByRole("link", { name: words.pages.withdrawals }).click();
      await amal.getByRole("button", { name: words.acts["withdrawal.processing"] }).click();
      await amal.getByRole("button", { name: words.act.button }).click();
      await amal.getByText(words.roles.treasury).waitFor();
      assertEquals(await office.statusOf(withdrawal), "pending");

      await badr.getByRole("link", { name: words.pages.approvals }).click();
      await badr.getByRole("button", { name: words.acts["approval.approve"] }).click();
      await badr.getByRole("button", { name: words.act.button }).click();
      await badr.getByText(words.act.done).waitFor();
      assertEquals(await office.statusOf(withdrawal), "processing");
      await badr.getByRole("link", { name: words.pages.audit }).click();
      await badr.getByText("withdrawal.processing").first().waitFor();
    } finally {
      await Promise.all(people.map((page) => page.context().close()));
      await office.close();
    }
  });
}

/** A passkey's device, which lets its person through without asking. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}
