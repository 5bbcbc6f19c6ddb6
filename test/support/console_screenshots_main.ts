import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";
import { openTestConsole } from "./test_console.ts";

const FOLDER = fileURLToPath(new URL("../../docs/console", import.meta.url));

/** What docs/console.md shows: `node tools/run.mjs test/support/console_screenshots_main.ts`. */
const site = await openTestConsole();
const browser = await launchChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  const [trade] = site.paths.filter((path) => path.startsWith("/orders/"));
  for (
    const [name, path, colorScheme] of [
      ["overview-en", "/en", "light"],
      ["overview-ar", "/ar", "dark"],
      ["trade-ar", `/ar${trade}`, "light"],
    ] as const
  ) {
    const context = await browser.newContext({
      ...{ colorScheme, viewport: { width: 1120, height: 760 } },
    });
    await site.answer(context, () => {});
    const page = await context.newPage();
    await page.goto(`${site.origin}${path}`);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}
