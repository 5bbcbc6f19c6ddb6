import { readFile } from "node:fs/promises";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { performAct } from "@sabika/office/acts";
import { readAuditHead, readAuditRecord, verifyAudit } from "@sabika/service/audit";
import type { Locator } from "playwright-core";
import {
  type ConsoleDay,
  openHarbourBank,
  testConsoleDay,
} from "../../test/support/console_day.ts";
import { openKeyboard } from "../../test/support/console_keyboard.ts";

const BANK = "harbour-bank";
const GRAMS = "12.5";

testConsoleDay(
  "an auditor follows a trade from bank to bar and verifies the log, by keyboard, in {language}",
  {
    roles: { amal: ["auditor"] },
    signed: 1,
  },
  async (day) => {
    const orderId = await trade(day);
    const hands = openHands(day);
    await fromTheBank(hands);
    await toTheTrade(hands, orderId);
    await toTheBars(hands);
    await recount(hands);
    await verify(hands, day);
    await takeFiles(hands);
  },
);

/** A bar comes in, a transfer is credited, and the partner buys; returns the order's id. */
async function trade({ admin }: ConsoleDay): Promise<string> {
  const { buy } = await openHarbourBank(admin);
  const bar = { serial: "S-1001", refiner: "Emirates Gold", fineness: "999.9" };
  const cases = [
    ["vault.bar.add", { ...bar, weight_grams: "12441.3807" }],
    ["funding.credit", { partner: BANK, amount_sar: "75000", reference: "TT-0925" }],
  ] as const;
  for (const [name, input] of cases) {
    const done = await performAct(admin, { name, arguments: input, breakGlass: "a test's day" });
    assert(done.ok, name);
  }
  return await buy(12_500_000n);
}

type Hands = ReturnType<typeof openHands>;

/** What the auditor does: everything by keyboard, from Today on. */
function openHands({ words, people: [amal] }: ConsoleDay) {
  const { page, look, fact } = amal!;
  const keys = openKeyboard(page);
  const follow = async (element: Locator) => {
    await keys.follow(element);
    await look();
  };
  return {
    ...keys,
    follow,
    words,
    page,
    fact,
    /** Opens a page by its entry in the navigation. */
    open: (entry: keyof typeof words.pages) =>
      follow(
        page.getByRole("navigation").getByRole("link", { name: words.pages[entry], exact: true }),
      ),
    /** The row of a table that has this text. */
    row: (text: string) => page.getByRole("row").filter({ hasText: text }),
  };
}

/** From the list of money that came in to the credit, and from there to its partner. */
async function fromTheBank({ page, row, open, follow, fact, words }: Hands) {
  await open("fundings");
  await follow(row("TT-0925").getByRole("rowheader").getByRole("link"));
  assertStringIncludes(await fact(words.orders.reference), "TT-0925");
  await follow(page.getByRole("main").getByRole("link", { name: BANK }));
  await page.getByRole("heading", { level: 1, name: "Harbour Bank" }).waitFor();
}

/** From the partner to its order: what was signed, what was moved, and that all of it holds. */
async function toTheTrade({ page, row, follow, words }: Hands, orderId: string) {
  await follow(row(GRAMS).getByRole("rowheader").getByRole("link"));
  assertStringIncludes(page.url(), orderId);
  const holds = page.locator(".checks").getByText(words.trade.holds, { exact: true });
  assertEquals(await holds.count(), 4);
  await page.getByText(words.trade.keyId, { exact: true }).waitFor();
  await page.emulateMedia({ media: "print" });
  assertStringIncludes(await page.getByRole("contentinfo").innerText(), orderId);
  const id = page.locator(".facts .id").first();
  assertEquals(await id.innerText(), orderId);
  await page.emulateMedia({ media: null });
  await follow(page.getByRole("link", { name: words.trade.statement }));
  await follow(row(GRAMS).getByRole("link").first());
  assertStringIncludes(page.url(), orderId);
}

/** From the trade to the bars: their fine gold is no less than what partners hold and have allocated. */
async function toTheBars({ page, row, follow, words }: Hands) {
  await follow(page.getByRole("link", { name: words.trade.bars }));
  assertEquals(await row("S-1001").getByText("12,441.3807", { exact: true }).count(), 1);
  const fine = await row("S-1001").innerText();
  // 12,441.3807 g of 999.9.
  assertStringIncludes(fine, "12,440.136561");
  assertEquals(await row(BANK).getByText(GRAMS, { exact: true }).count(), 1);
}

/** The books are recounted, and agree. */
async function recount({ page, open, follow, fact, words: { books } }: Hands) {
  await open("books");
  await follow(page.getByRole("button", { name: books.recount }));
  await page.getByText(books.agree).first().waitFor();
  assertStringIncludes(await fact(books.who), "amal");
}

/** The log is verified against a head that was kept; a head that it does not lead to is told. */
async function verify(hands: Hands, { admin }: ConsoleDay) {
  const { page, open, follow, type, fact, words: { audit: { verification } } } = hands;
  const { hash } = await readAuditHead(admin.database.sql);
  await open("audit");
  await follow(page.getByRole("link", { name: verification.link }));
  await page.getByText(verification.never).waitFor();
  const ask = async (head: string) => {
    await type(page.getByLabel(verification.head), head);
    await follow(page.getByRole("button", { name: verification.button }));
  };
  await ask("5f3a");
  await page.getByRole("alert").getByText(verification.wrongHead).waitFor();
  await ask("5f".repeat(32));
  await page.getByText(verification.kinds.rewritten, { exact: true }).waitFor();
  await ask(hash);
  await page.getByText(verification.holds, { exact: true }).waitFor();
  assertEquals(await fact(verification.hash), hash);
  await page.emulateMedia({ media: "print" });
  assertEquals(await page.getByRole("button", { name: verification.button }).isVisible(), false);
  assertEquals(await page.getByText(hash).first().isVisible(), true);
  await page.emulateMedia({ media: null });
}

/** The log as a file is judged elsewhere; lists are files too. */
async function takeFiles({ page, open, download, words: { audit, orders } }: Hands) {
  const log = await download(page.getByRole("link", { name: audit.verification.file }));
  const record = readAuditRecord(await readFile(await log.path(), "utf8"));
  const { findings, entries } = await verifyAudit(record);
  assertEquals(findings, []);
  assert(entries > 5, `${entries} entries`);
  for (const entry of ["audit", "orders"] as const) {
    await open(entry);
    const file = await download(page.getByRole("link", { name: orders.export }));
    const text = await readFile(await file.path(), "utf8");
    assert(text.split("\r\n").length > 2, entry);
  }
}
