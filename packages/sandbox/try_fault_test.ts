import { after, test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { createClient, openKit } from "@sabika/client";
import { violationsOn } from "../../test/support/axe.ts";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { listenReference } from "./reference_listener.ts";
import { openTrial } from "./try_call.ts";

const browser = await launchChromium();
after(() => browser?.close());

test("a reader places a quote and its order from the page, on a phone, and axe finds nothing", async () => {
  const sandbox = await startTestSandbox();
  const kit = await openKit(sandbox.demo!.kitFolder);
  const trial = openTrial(kit, (length) => crypto.getRandomValues(new Uint8Array(length)));
  const settings = { environment: "sandbox", baseUrl: kit.baseUrl } as const;
  const listener = await listenReference(settings, { trial });
  const client = createClient(kit);
  try {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const faults: string[] = [];
    page.on("console", (message) => faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(listener.url);
    for (const operation of ["fund", "createQuote", "createOrder"]) {
      const form = page.locator(`form[data-operation=${operation}]`);
      await form.getByRole("button", { name: "Send to the sandbox" }).click();
      await form.locator("pre").waitFor();
      assertEquals(await form.getByRole("status").innerText(), "The sandbox answered 201.");
    }
    // The order has the id of the quote just made, not that of the example.
    const shown = await page.locator("form[data-operation=createOrder] pre").innerText();
    const { data: [order] } = await client.listOrders();
    assertMatch(shown, new RegExp(`"quote_id": "${order!.quoteId}"`));
    assertEquals(await violationsOn(page), []);
    assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 360);
    assertEquals(faults, []);
  } finally {
    await client.close();
    await listener.close();
    await trial.close();
    await sandbox.stop();
  }
});
