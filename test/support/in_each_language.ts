import { after, before, test, type TestContext } from "node:test";
import { LANGUAGES } from "@sabika/console";
import type { Browser } from "playwright-core";
import { launchChromium } from "../../tools/programs/launch_chromium.ts";

/** Defines a test in Chromium for each language of the console; `name` says which by `{language}`. */
export function testInEachLanguage(
  name: string,
  body: (
    browser: Browser,
    language: (typeof LANGUAGES)[number],
    context: TestContext,
  ) => Promise<void>,
): void {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());
  for (const language of LANGUAGES) {
    test(name.replace("{language}", language), (context) => body(browser, language, context));
  }
}
