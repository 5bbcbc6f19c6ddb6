import { assertEquals } from "@std/assert";
import { createConsole } from "@sabika/console";
import { createFixedPrice } from "@sabika/service/prices";
import type { TestBrowser } from "./test_browser.ts";
import { OFFICE_ORIGIN, openTestOffice, type TestOffice } from "./test_office.ts";

/** The fields of a form, by name. */
export type FormFields = Record<string, string>;

/** Opens a test office with the console, whose pages throw what fails on them. */
export function openConsoleOffice(
  options: Omit<Parameters<typeof openTestOffice>[0], "pages"> = {},
): Promise<TestOffice> {
  const pages = createConsole({
    prices: createFixedPrice({ midTenThousandths: 4_000_000n }),
    onError(error) {
      throw error;
    },
  });
  return openTestOffice({ ...options, pages });
}

/** Makes the functions that send a console's forms as a browser does, without one. */
export function consoleForms({ app }: TestOffice) {
  const forms = {
    /** Sends a form from one of the console's pages, and reads the page that it leads to. */
    async send(
      browser: TestBrowser,
      path: string,
      fields: FormFields | string[][],
      headers: FormFields = {},
    ) {
      const answer = await app.request(`${OFFICE_ORIGIN}${path}`, {
        method: "POST",
        headers: {
          origin: OFFICE_ORIGIN,
          "sec-fetch-site": "same-origin",
          cookie: browser.cookie(),
          ...headers,
        },
        body: new URLSearchParams(fields),
      });
      const to = answer.headers.get("location");
      if (answer.status !== 303 || to === null) {
        return { status: answer.status, text: await answer.text(), path };
      }
      const page = await app.request(`${OFFICE_ORIGIN}${to}`, {
        headers: { cookie: browser.cookie() },
      });
      const further = page.headers.get("location");
      return {
        status: page.status,
        text: further === null ? await page.text() : await forms.read(browser, further),
        path: further ?? to,
      };
    },
    /** Reads a page's HTML. */
    async read(browser: TestBrowser, path: string): Promise<string> {
      const headers = { cookie: browser.cookie() };
      return await (await app.request(`${OFFICE_ORIGIN}${path}`, { headers })).text();
    },
    /** Signs what a page shows, as a browser does, and sends it. */
    async sign(browser: TestBrowser, page: string, signer = browser, path = "/en/acts") {
      const hidden = hiddenOf(page);
      assertEquals("options" in hidden, true, page);
      const credential = await signer.authenticator.get(JSON.parse(hidden["options"]!));
      const fields = { ...hidden, credential: JSON.stringify(credential) };
      return await forms.send(browser, path, fields);
    },
  };
  return forms;
}

/** Returns the hidden fields of the last form of a page. */
export function hiddenOf(page: string): FormFields {
  const form = page.slice(page.lastIndexOf("<form"));
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
      .map(([, name, value]) => [name!, value!.replaceAll("&quot;", '"').replaceAll("&amp;", "&")]),
  );
}
