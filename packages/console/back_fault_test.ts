import { assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { openConsolePerson, submit } from "../../test/support/console_person.ts";
import { testInEachLanguage } from "../../test/support/in_each_language.ts";
import { openServedConsole } from "../../test/support/served_console.ts";
import { anAdmission, openTestAdmin } from "../../test/support/test_admin.ts";
import { MESSAGES } from "./languages/languages.ts";

testInEachLanguage(
  "Back, a reload and a double click lose nothing and act once, in {language}",
  async (browser, language, t) => {
    const admin = await openTestAdmin();
    const site = await openServedConsole(admin, admin.testDatabase);
    t.after(async () => {
      await site.close();
      await admin.close();
    });
    await admitPartner(admin, anAdmission("bank-one"));
    // One person is enough here: what is tested are forms.
    await admin.database.sql`delete from approval_rules where act = 'vault.bar.add'`;
    const words = MESSAGES[language];
    const person = await openConsolePerson({
      browser,
      origin: site.origin,
      language,
      words,
      link: await site.invite("amal"),
    });
    const { page } = person;
    const { acts, fields, act } = words;
    const button = page.getByRole("button", { name: act.button });
    await person.go("/vault/intake");
    const bar = {
      [fields.serial]: "S-1",
      [fields.refiner]: "Emirates",
      [fields.weight_grams]: "1,5",
    };
    await submit(page, page, acts["vault.bar.add"], bar);
    await page.getByText(words.mistakes.ambiguous).waitFor();
    await person.look();
    const weight = page.getByLabel(fields.weight_grams, { exact: true });
    assertEquals(await weight.inputValue(), "1,5");
    assertEquals(await weight.evaluate((field) => field === document.activeElement), true);
    await submit(page, page, acts["vault.bar.add"], { [fields.weight_grams]: "١٬٠٠٠ g" });
    await button.waitFor();
    // Back to the form, where the browser keeps what was typed last, and forward to the page that signs.
    await page.goBack();
    assertEquals(await weight.inputValue(), "١٬٠٠٠ g");
    await page.goForward();
    await page.reload();
    await button.dblclick();
    await page.getByText(act.done).waitFor();
    await person.look();
    await page.reload();
    await page.getByText(act.done).waitFor();
    // Back leads to what came of the act, not to a page that signs it again.
    await page.goBack();
    await page.getByText(act.done).waitFor();
    assertEquals(await button.count(), 0);
    const bars = await admin.database.sql`select weight_micrograms::text as w from vault_bars`;
    assertEquals(bars.map(({ w }) => w), ["1000000000"]);
    await person.go("/orders?side=buy");
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("button", { name: words.signIn.button }).click();
    await page.waitForURL(`${site.origin}/${language}/orders?side=buy`);
    assertStringIncludes(await page.title(), words.pages.orders);
    assertEquals([person.found, site.errors], [[], []]);
    await person.close();
  },
);
