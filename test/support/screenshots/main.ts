import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LANGUAGES, MESSAGES } from "@sabika/console";
import type { Page } from "playwright-core";
import { launchChromium } from "../../../tools/programs/launch_chromium.ts";
import { openConsolePerson, submit } from "../console_person.ts";
import { openServedConsole } from "../served_console.ts";
import { openTestConsole } from "../test_console.ts";

// `npm run screenshots` makes the pictures of docs/console/README.md: it serves a console with a history and
// visits its pages with a real browser, in each language as a person who registers a passkey.
const FOLDER = fileURLToPath(new URL("../../../docs/console", import.meta.url));
/** Screens of a desk, a tablet and a phone. */
const SIZES = {
  1440: { width: 1440, height: 900 },
  1024: { width: 1024, height: 768 },
  390: { width: 390, height: 844 },
} as const;
const QUALITY = 0.45;

const site = await openTestConsole();
const browser = await launchChromium();
const served = await openServedConsole(site.admin, site.admin.testDatabase, site.prices);
const encoder = await browser.newPage();
const found: string[] = [];

/** Writes a screenshot of a page as WebP, of about 25 kB on a desk's screen. */
async function shoot(page: Page, name: string): Promise<void> {
  const png = (await page.screenshot()).toString("base64");
  const webp = await encoder.evaluate(`(async () => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d").drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: ${QUALITY} });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
  })()`) as string;
  await writeFile(join(FOLDER, `${name}.webp`), Buffer.from(webp, "base64"));
}

try {
  await mkdir(FOLDER, { recursive: true });
  const trade = site.paths.find((path) => path.startsWith("/orders/"))!;
  const count = site.paths.find((path) => /^\/counts\/[0-9a-f]/.test(path))!;
  for (const language of LANGUAGES) {
    const words = MESSAGES[language];
    const { origin } = served;
    const link = await served.invite(language === "en" ? "noura" : "salman");
    const person = await openConsolePerson({ browser, origin, language, words, link });
    const { page } = person;
    const shootAt = async (width: keyof typeof SIZES, name: string) => {
      await page.setViewportSize(SIZES[width]);
      await shoot(page, width === 1440 ? `${name}-${language}` : `${name}-${language}-${width}`);
    };
    await page.setViewportSize(SIZES[1440]);
    await page.emulateMedia({ colorScheme: "dark" });
    await person.go("");
    await shootAt(1440, "overview-dark");
    await page.emulateMedia({ colorScheme: "light" });
    const cases = [
      ["overview", "", true],
      ["prices", "/prices"],
      ["orders", "/orders"],
      ["trade", trade, true],
      ["statement", "/statements?partner=desert-bank"],
      ["partner", "/partners/harbour-bank", true],
      ["documents", "/documents"],
      ["vault", "/vault"],
      ["count", count, true],
      ["counting", "/counts/new?place="],
      ["books", "/books"],
      ["approvals", "/approvals", true],
      ["audit", "/audit"],
    ] as const;
    for (const [name, path, isNarrowToo] of cases) {
      await person.go(path);
      await shootAt(1440, name);
      if (!isNarrowToo) continue;
      await shootAt(1024, name);
      await shootAt(390, name);
      await page.setViewportSize(SIZES[1440]);
    }
    await person.go("/partners/harbour-bank");
    await page.evaluate("document.getElementById('checklist').scrollIntoView()");
    await shootAt(1440, "checklist");
    await person.go("/audit/verification");
    await page.getByRole("button", { name: words.audit.verification.button }).click();
    await page.getByText(words.audit.verification.holds).waitFor();
    await shootAt(1440, "verification");
    await person.go("/prices");
    await submit(page, page, words.acts["price.pause"]);
    await page.getByRole("button", { name: words.act.button }).waitFor();
    await shootAt(1440, "signing");
    found.push(...person.found);
    await person.close();
  }
  if (found.length > 0) throw new Error(found.join("\n"));
} finally {
  await browser.close();
  await served.close();
  await site.close();
}
