import { after, before, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { violationsOn } from "../../test/support/axe.ts";
import { openConsolePerson, submit } from "../../test/support/console_person.ts";
import { requestByOpenssl } from "../../test/support/openssl.ts";
import { openServedConsole } from "../../test/support/served_console.ts";
import { openTestConsole, type TestConsole } from "../../test/support/test_console.ts";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { type Language, LANGUAGES, MESSAGES } from "./languages/languages.ts";

const IBAN = "SA0380000000608010167519";

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

test("every form leads to its act without a script; the signature alone needs one", async () => {
  const served = await openServedConsole(site.admin, site.admin.testDatabase);
  try {
    for (const language of LANGUAGES) await fillInWithoutScripts(served, language);
    assertEquals(served.errors, []);
  } finally {
    await served.close();
  }
});

/**
 * Every act of `acceptance_fault_test.ts` up to its signature, by who is signed in: admission with its
 * steps, rotation, credit, payment, an event sent again, and both decisions on a request.
 */
async function fillInWithoutScripts(
  { origin, invite }: Awaited<ReturnType<typeof openServedConsole>>,
  language: Language,
): Promise<void> {
  const words = MESSAGES[language];
  const { admission, fields, partners, acts } = words;
  const link = await invite(`noura-${language}`);
  const person = await openConsolePerson({ browser, origin, language, words, link });
  const storageState = await person.page.context().storageState();
  const context = await browser.newContext({ javaScriptEnabled: false, storageState });
  const page = await context.newPage();
  const open = (path: string) => page.goto(`${origin}/${language}${path}`);
  const isShown = async (title: string) => {
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    assertStringIncludes(await page.content(), words.signIn.needsScript);
    assert(await page.getByRole("button", { name: words.act.button }).isDisabled());
  };
  await open("/admission");
  for (
    const filled of [
      { [fields.client_id]: "oasis-bank", [fields.name]: "Oasis", [partners.iban]: IBAN },
      {},
      { [fields.webhook_url]: "https://hooks.example.com/sabika", [partners.addresses]: "::1" },
    ]
  ) await submit(page, page, admission.next, filled);
  await isShown(acts["partner.create"]);
  const { csr } = await requestByOpenssl("harbour-bank", "Harbour Bank");
  const credit = {
    [words.partner]: "harbour-bank",
    [fields.amount_sar]: "1",
    [words.orders.reference]: "TT-0",
  };
  for (
    const [path, act, filled] of [
      ["/partners/harbour-bank/change", "client-secret.rotate", { [fields.overlap_ms]: "0" }],
      ["/partners/harbour-bank/change", "certificate.rotate", { [fields.csr]: csr }],
      ["/fundings", "funding.credit", credit],
      ["/withdrawals", "withdrawal.processing", {}],
      ["/partners/desert-bank/deliveries", "webhook.redeliver", {}],
      ["/approvals", "approval.approve", {}],
      ["/approvals", "approval.reject", { [words.overview.reason]: "no letter came" }],
    ] as const
  ) {
    await open(path);
    const row = page.getByRole("row").filter({ has: page.getByRole("button") }).first();
    await submit(page, await row.count() > 0 ? row : page, acts[act], filled);
    await isShown(acts[act]);
  }
  await context.close();
  await person.close();
}
