import { assertEquals, assertStringIncludes } from "@std/assert";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { createFixedPrice } from "@sabika/service/prices";
import { createTrading } from "@sabika/service/trading";
import { ROLES } from "@sabika/terms";
import type { Page } from "playwright-core";
import { openConsolePerson } from "../../test/support/console_person.ts";
import { testInEachLanguage } from "../../test/support/in_each_language.ts";
import { random } from "../../test/support/random.ts";
import { openServedConsole } from "../../test/support/served_console.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { MESSAGES } from "./languages/languages.ts";

testInEachLanguage(
  "three payouts are approved by the keyboard alone, in {language} (D99)",
  async (browser, language, t) => {
    const admin = await openTestAdmin();
    const { database, app } = admin.testDatabase;
    const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
    const bank = await admitTestPartner(admin.database, { cashHalalas: 1_000_00n });
    const trading = createTrading({ database: app, prices, random, now: Date.now });
    const ids: string[] = [];
    for (const amountHalalas of [100_00n, 150_50n, 200_00n]) {
      ids.push(value(await trading.withdraw(bank.withdraw(amountHalalas))).id);
    }
    const amal = await addPerson(admin, "amal", ROLES);
    const site = await openServedConsole(admin, admin.testDatabase);
    t.after(async () => {
      await site.close();
      await admin.close();
    });
    const words = MESSAGES[language];
    const { acts, act, keys, together } = words;
    const link = await site.invite("badr");
    const badr = await openConsolePerson({
      browser,
      origin: site.origin,
      language,
      words,
      link,
    });
    const { page } = badr;
    const ask = async (name: "withdrawal.processing" | "withdrawal.completed") => {
      for (const withdrawal of ids) {
        const asked = await amal.ask(name, { withdrawal });
        if (!asked.ok) throw new Error(asked.detail);
      }
    };
    const statuses = async () => {
      const rows = await database.sql<{ status: string }[]>`select status from withdrawals`;
      return rows.map(({ status }) => status);
    };
    const signAll = async () => {
      await page.getByText("450.50").first().waitFor();
      assertEquals(await page.locator("main .dossier").count(), 3);
      await badr.look();
      await tabTo(page, act.button);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: together.outcomes }).waitFor();
      await badr.look();
      await page.getByText(`3 · ${together.states.done}`).waitFor();
      assertEquals(await page.getByText(act.done).count(), 3);
    };

    await ask("withdrawal.processing");
    await page.reload();
    await tabTo(page, words.overview.toApprove);
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox").first().waitFor();
    await showKeys(page, keys.title);
    await badr.look();
    // Down to the last row, back to the first, and what is ticked by mistake is no more.
    for (const key of ["j", "j", "ArrowDown", "j", "k", "ArrowUp", "x", "x", "x"]) {
      await page.keyboard.press(key);
    }
    assertEquals(await focused(page, "tr"), 0);
    await page.keyboard.press("ArrowDown");
    // On an Arabic keyboard the same keys write other letters.
    await press(page, "KeyX", "ء");
    await press(page, "KeyJ", "ت");
    await page.keyboard.press("x");
    await page.getByText(`${keys.ticked}: 3`).waitFor();
    assertEquals(await focused(page, "tr"), 2);
    await badr.look();
    await page.keyboard.press("Shift+Enter");
    await signAll();
    assertEquals(await statuses(), Array(3).fill("processing"));

    // Enter opens one; all of a kind lead on by their button.
    await ask("withdrawal.completed");
    await badr.go("/approvals");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: act.button }).waitFor();
    await page.goBack();
    await tabTo(page, `${words.together.all.replace("{count}", "3")}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: acts["withdrawal.completed"] }).waitFor();
    await signAll();
    assertEquals(await statuses(), Array(3).fill("completed"));
    // What is typed into a field is text, and / still leads there.
    await page.keyboard.press("/");
    await page.keyboard.type("jkx?");
    assertEquals(await page.getByRole("searchbox").inputValue(), "jkx?");
    assertEquals(await page.locator("#keys").isVisible(), false);

    assertEquals([badr.found, site.errors], [[], []]);
    const { findings } = await withAuditRecord(database.sql, verifyAudit);
    assertEquals(findings, []);
    await badr.close();
  },
);

/** Presses Tab until what is in focus has this text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let n = 0; n < 120; n++) {
    await page.keyboard.press("Tab");
    if (await page.locator(":focus").innerText() === text) return;
  }
  throw new Error(`no Tab leads to ${text}`);
}

/** The place, in its list, of the element of this kind in focus, whose outline can be seen; -1 for none. */
async function focused(page: Page, selector: string): Promise<number> {
  return await page.evaluate(
    `Array.from(document.querySelectorAll("main tbody ${selector}")).findIndex((element) =>
      element === document.activeElement && parseFloat(getComputedStyle(element).outlineWidth) > 0)`,
  ) as number;
}

/** Presses the key at a place, on a keyboard that writes another letter there. */
async function press(page: Page, code: string, key: string): Promise<void> {
  await page.evaluate(
    `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
      key: "${key}", code: "${code}", bubbles: true, cancelable: true }))`,
  );
}

/** Opens the list of keys by its key, and closes it. */
async function showKeys(page: Page, title: string): Promise<void> {
  const list = page.locator("#keys");
  await page.keyboard.press("?");
  await list.waitFor();
  assertStringIncludes(await list.innerText(), title);
  assertEquals(await list.evaluate((element) => element === document.activeElement), true);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
}
