import { after, test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createFixedPrice } from "@sabika/service/prices";
import { createSingleSignOn } from "@sabika/office";
import { OFFICE_ORIGIN, openTestOffice } from "../../test/support/test_office.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";
import { createConsole } from "./mod.ts";

const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const pages = createConsole({
  prices,
  onError: (error) => {
    throw error;
  },
});
const singleSignOn = createSingleSignOn(
  { issuer: "https://login.bank.example", clientId: "office", clientSecret: "no secret" },
  { redirectUri: `${OFFICE_ORIGIN}/back`, fetch, now: Date.now },
);
const office = await openTestOffice({ pages, singleSignOn });
const without = await openTestOffice({ pages });
after(async () => {
  await office.close();
  await without.close();
});

const LINK = 'href="/admin/v1/single-sign-on"';

test("the page for signing in leads to the company's provider where there is one", async () => {
  for (const language of LANGUAGES) {
    const { signIn } = MESSAGES[language];
    const path = `/${language}/sign-in`;
    const page = await (await office.app.request(path)).text();
    for (const words of [LINK, signIn.provider, signIn.button]) assertStringIncludes(page, words);
    const plain = await (await without.app.request(path)).text();
    assertEquals([plain.includes(LINK), plain.includes(signIn.button)], [false, true]);
  }
});

test("it says why the provider let nobody in, in the browser's language, and nothing else", async () => {
  const headers = { "accept-language": "ar" };
  for (const [code, words] of Object.entries(MESSAGES.ar.signIn.refused)) {
    const led = await office.app.request(`/sign-in?refused=${code}`, { headers });
    const to = led.headers.get("location")!;
    assertEquals(to, `/ar/sign-in?refused=${code}`);
    assertStringIncludes(await (await office.app.request(to)).text(), words);
  }
  const wrong = await office.app.request("/en/sign-in?refused=%3Cscript%3E");
  const page = await wrong.text();
  assertEquals([wrong.status, page.includes("<script>")], [200, false]);
});
