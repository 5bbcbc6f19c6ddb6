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
const SIZE = { width: 1240, height: 780 };
const QUALITY = 0.6;
/** The colour scheme for each language; the overview is shown in both schemes. */
const SCHEME = { en: "light", ar: "dark" } as const;

const site = await openTestConsole();
const browser = await launchChromium();
const served = await openServedConsole(site.admin, site.admin.testDatabase, site.prices);
const encoder = await browser.newPage();
const found: string[] = [];

/** Writes a screenshot of a page as WebP, of about 25 kB. */
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
  for (const language of LANGUAGES) {
    const words = MESSAGES[language];
    const { origin } = served;
    const link = await served.invite(language === "en" ? "noura" : "salman");
    const person = await openConsolePerson({ browser, origin, language, words, link });
    const { page } = person;
    await page.setViewportSize(SIZE);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await person.go("");
      await shoot(page, `overview-${language}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: SCHEME[language] });
    for (
      const [name, path] of [
        ["prices", "/prices"],
        ["orders", "/orders"],
        ["trade", trade],
        ["partner", "/partners/harbour-bank"],
        ["endpoints", "/endpoints"],
        ["vault", "/vault"],
        ["books", "/books"],
        ["approvals", "/approvals"],
        ["audit", "/audit"],
      ] as const
    ) {
      await person.go(path);
      await shoot(page, `${name}-${language}`);
    }
    await person.go("/prices");
    await submit(page, page, words.acts["price.pause"]);
    await page.getByRole("button", { name: words.act.button }).waitFor();
    await shoot(page, `signing-${language}`);
    found.push(...person.found);
    await person.close();
  }
  if (found.length > 0) throw new Error(found.join("\n"));
} finally {
  await browser.close();
  await served.close();
  await site.close();
}
