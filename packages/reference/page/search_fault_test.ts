import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { violationsOn } from "../../../test/support/axe.ts";
import { launchChromium } from "../../../tools/programs/launch_chromium.ts";
import { referencePage } from "./reference_page.ts";

const ORIGIN = "https://sabika.test";
const { html, policy } = await referencePage({ environment: "production", baseUrl: ORIGIN });

const browser = await launchChromium();
after(() => browser?.close());

/** Opens the page in a browser without a network; `faults` gets what it says and asks for. */
async function open(width: number, faults: string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.route("**", async (route) => {
    if (route.request().url() !== `${ORIGIN}/docs`) faults.push(route.request().url());
    const headers = { "content-type": "text/html", "content-security-policy": policy };
    await route.fulfill({ headers, body: html });
  });
  await page.goto(`${ORIGIN}/docs`);
  return page;
}

for (const width of [320, 1440]) {
  test(`at a width of ${width} the keyboard alone finds a field, and nothing is asked for`, async () => {
    const faults: string[] = [];
    const page = await open(width, faults);
    await page.keyboard.press("/");
    for (const query of ["createOrder", "quote_expired", "order.executed", "gold_grams"]) {
      await page.locator("#search").fill(query);
      const [first] = await page.locator(".search li code").allInnerTexts();
      assertEquals(first, query);
    }
    assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
    assertEquals(await violationsOn(page), []);
    await page.locator("#search").fill("gold_grams");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    // The list is cleared once the link was followed.
    await page.locator(".search li").first().waitFor({ state: "detached" });
    await page.waitForURL(/#./);
    assertEquals(
      await page.evaluate("document.querySelector(':target').textContent"),
      "gold_grams",
    );
    assertEquals(faults, []);
    await page.close();
  });
}
