import type { Browser, Locator, Page } from "playwright-core";
import { violationsOn } from "./axe.ts";
import { openKeyboard } from "./console_keyboard.ts";

/** The names of buttons, in the tested language. */
interface Words {
  readonly enrol: { readonly button: string };
  readonly act: { readonly button: string };
}

/** A person with a browser, as `openConsolePerson` returns it. */
export type ConsolePerson = Awaited<ReturnType<typeof openConsolePerson>>;

/**
 * Opens a browser for a person who registers a passkey by a one-time link.
 *
 * @param options.byKeyboard whether they have no mouse; the methods below then take keys alone
 */
export async function openConsolePerson(
  { browser, origin, language, words, link, byKeyboard = false }: {
    browser: Browser;
    origin: string;
    language: string;
    words: Words;
    /** The fragment of their one-time link, without the `#`. */
    link: string;
    byKeyboard?: boolean;
  },
) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(error.message));
  await addAuthenticator(page);
  await page.goto(`${origin}/${language}/enrol#${link}`);
  await look();
  await page.getByRole("button", { name: words.enrol.button }).click();
  await page.waitForURL(`${origin}/${language}`);

  const keys = openKeyboard(page);
  const send = async (within: Page | Locator, button: string, fields: Fields = {}) => {
    if (!byKeyboard) return await submit(page, within, button, fields);
    const form = formOf(page, within, button);
    for (const [label, text] of Object.entries(fields)) {
      await keys.type(form.getByLabel(label, { exact: true }), text);
    }
    await keys.follow(form.getByRole("button", { name: button, exact: true }));
  };

  async function look() {
    const path = new URL(page.url()).pathname;
    found.push(...(await violationsOn(page)).map((violation) => `${path}: ${violation}`));
  }

  return {
    page,
    /** Violations that axe found on the pages so far, and errors of scripts. */
    found,
    look,
    /** Opens a page by its path after the language. */
    async go(path: string) {
      await page.goto(`${origin}/${language}${path}`);
      await look();
    },
    /**
     * Fills in the form of an act, continues to its summary, and signs it with the passkey.
     *
     * @returns the console's message
     */
    async act(
      button: string,
      fields: Fields = {},
      within: Page | Locator = page,
    ): Promise<string> {
      await send(within, button, fields);
      return await this.sign();
    },
    /** Fills in the form that has this button, by the names of its fields, and submits it. */
    submit: (button: string, fields: Fields = {}) => send(page, button, fields),
    /** Goes where a link or a button leads. */
    async follow(element: Locator): Promise<void> {
      await (byKeyboard ? keys.follow(element) : element.click());
      await look();
    },
    /** Presses a button that leads nowhere, ticks a checkbox, or unfolds what is folded. */
    press: (element: Locator) => byKeyboard ? keys.press(element) : element.click(),
    /** Returns the file that a link leads to. */
    async download(link: Locator) {
      if (byKeyboard) return await keys.download(link);
      const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
      return file;
    },
    /** Signs the act that the page shows. */
    async sign(): Promise<string> {
      const button = page.getByRole("button", { name: words.act.button });
      await button.waitFor();
      await look();
      await (byKeyboard ? keys.follow(button) : button.click());
      const message = await page.getByRole("status").innerText();
      await look();
      return message;
    },
    /** The value beside a name in the page's facts. */
    fact: (name: string) =>
      page.locator(".facts > div").filter({ has: page.getByText(name, { exact: true }) })
        .locator("dd").innerText(),
    close: () => context.close(),
  };
}

type Fields = Readonly<Record<string, string>>;

const formOf = (page: Page, within: Page | Locator, button: string) =>
  within.locator("form").filter({ has: page.getByRole("button", { name: button, exact: true }) });

/** Fills in the form that has this button, by the names of its fields, and submits it. */
export async function submit(
  page: Page,
  within: Page | Locator,
  button: string,
  fields: Fields = {},
): Promise<void> {
  const form = formOf(page, within, button);
  for (const [label, text] of Object.entries(fields)) {
    const field = form.getByLabel(label, { exact: true });
    const isChoice = await field.getByRole("option").count() > 0;
    await (isChoice ? field.selectOption(text) : field.fill(text));
  }
  await form.getByRole("button", { name: button, exact: true }).click();
}

/** Adds a virtual authenticator, which verifies its user without asking. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
