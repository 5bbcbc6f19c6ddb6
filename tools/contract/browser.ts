import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { violationsOn } from "../../test/support/axe.ts";
import type { Check, Subject } from "../clients/subject.ts";
import { findProgram } from "../programs/find_program.ts";
import { launchChromium } from "../programs/launch_chromium.ts";
import { DOCUMENT } from "./document.ts";

/** A headless Chromium with axe, which opens the page /docs. */
export const browser: Subject = {
  name: "browser",
  async prepare() {
    // Fetched before the checks begin.
    await findProgram("chromium");
    const find = (
      name: string,
      faults: (browser: Browser, url: string) => Promise<readonly string[]>,
    ): Check => ({
      name,
      async run(sandbox) {
        const { referenceUrl } = await sandbox();
        const running = await launchChromium();
        try {
          const found = await faults(running, referenceUrl);
          return { ok: found.length === 0, output: found.join("\n") };
        } finally {
          await running.close();
        }
      },
    });
    return {
      checks: [
        find(
          "without scripts every endpoint is on the page, and no other host is asked",
          missingEndpoints,
        ),
        ...(["light", "dark"] as const).map((scheme) =>
          find(`axe finds no violation in ${scheme}`, (...at) => violations(...at, scheme))
        ),
        find(
          "on a narrow screen nothing but code and tables scrolls sideways, and the first key leads to the content",
          narrowFaults,
        ),
      ],
    };
  },
};

async function missingEndpoints(running: Browser, url: string): Promise<string[]> {
  const context = await running.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(url);
  const headings = await page.locator("h3").allInnerTexts();
  const { paths } = JSON.parse(await readFile(DOCUMENT, "utf8")) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path} `)
  );
  await context.close();
  return [
    ...endpoints.filter((endpoint) => !headings.some((heading) => heading.startsWith(endpoint))),
    ...requested.filter((address) => address !== url && !address.startsWith("data:"))
      .map((address) => `asked ${address}`),
  ];
}

/** Returns axe's violations and the messages in the browser's console. */
async function violations(
  running: Browser,
  url: string,
  colorScheme: "light" | "dark",
): Promise<string[]> {
  const context = await running.newContext({ colorScheme });
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(url);
  const found = await violationsOn(page);
  await context.close();
  return [...said, ...found];
}

async function narrowFaults(running: Browser, url: string): Promise<string[]> {
  const context = await running.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(url);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  const focused = await firstFocused(page);
  await context.close();
  return [
    ...(width === 360 ? [] : [`the page is ${String(width)} wide on a screen of 360`]),
    ...(focused === "#main" ? [] : [`the first key leads to ${focused}`]),
  ];
}

async function firstFocused(page: Page): Promise<string> {
  await page.keyboard.press("Tab");
  return String(await page.evaluate('document.activeElement?.getAttribute("href")'));
}
