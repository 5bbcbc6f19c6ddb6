import { after, test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createSingleSignOn } from "@sabika/office";
import { openConsoleOffice } from "../../test/support/console_forms.ts";
import { OFFICE_ORIGIN } from "../../test/support/test_office.ts";
import { MESSAGES } from "./languages/languages.ts";

const singleSignOn = createSingleSignOn(
  { issuer: "https://login.bank.example", clientId: "office", clientSecret: "no secret" },
  { redirectUri: `${OFFICE_ORIGIN}/back`, fetch, now: Date.now },
);
const office = await openConsoleOffice({ singleSignOn });
after(office.close);

test("the page for signing in leads to the company's provider, and says why it let nobody in", async () => {
  const headers = { "accept-language": "ar" };
  for (const [code, reason] of Object.entries(MESSAGES.ar.signIn.refused)) {
    const redirect = await office.app.request(`/sign-in?refused=${code}`, { headers });
    const target = redirect.headers.get("location")!;
    assertEquals(target, `/ar/sign-in?refused=${code}`);
    const page = await (await office.app.request(target)).text();
    const { provider, button } = MESSAGES.ar.signIn;
    for (const text of [reason, provider, button, 'href="/admin/v1/single-sign-on"']) {
      assertStringIncludes(page, text);
    }
  }
  const wrong = await office.app.request("/en/sign-in?refused=%3Cscript%3E");
  const page = await wrong.text();
  assertEquals([wrong.status, page.includes("<script>")], [200, false]);
});
