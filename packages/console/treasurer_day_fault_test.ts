import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { closeDays } from "@sabika/service/ledger";
import {
  type ConsoleDay,
  openHarbourBank,
  testConsoleDay,
} from "../../test/support/console_day.ts";
import { moment } from "./format.ts";

const BANK = "harbour-bank";
const DAY_MS = 86_400_000;

testConsoleDay(
  "a treasurer credits, pays, settles what went wrong and closes the day, in {language}",
  {
    roles: { amal: ["treasury"], badr: ["treasury"] },
    signed: 10,
  },
  async (day) => {
    const { bank, trading } = await openHarbourBank(day.admin);
    await closeDays(day.admin.testDatabase.app);
    await recount(day);
    await credit(day);
    await creditTwice(day);
    await rejectCredit(day);
    for (const amount of [1_000_00n, 2_000_00n]) {
      assert((await trading.withdraw(bank.withdraw(amount))).ok);
    }
    await pay(day);
    await takeBack(day);
    await close(day);
  },
);

/** Today says that the books were never recounted; the button does it, and nothing is left to say. */
async function recount({ people: [amal], words: { books, notifications } }: ConsoleDay) {
  const never = notifications.says.recount_never;
  await amal!.go("");
  await amal!.follow(amal!.page.getByRole("link", { name: never }));
  await amal!.page.getByText(books.never).waitFor();
  await amal!.follow(amal!.page.getByRole("button", { name: books.recount }));
  await amal!.page.getByText(books.agree).waitFor();
  assertStringIncludes(await amal!.fact(books.who), "amal");
  await amal!.go("");
  assertEquals(await amal!.page.getByText(never).count(), 0);
}

/** Credits a transfer, with the amount in Arabic digits. */
async function credit({ people: [amal], words }: ConsoleDay) {
  await amal!.go("/fundings");
  const notice = await amal!.act(words.acts["funding.credit"], {
    [words.partner]: BANK,
    [words.fields.amount_sar]: "٢٥٬٠٠٠",
    [words.orders.reference]: "TT-0925",
  });
  assertStringIncludes(notice, words.act.done);
  await amal!.go(`/fundings?partner=${BANK}`);
  const row = amal!.page.getByRole("row").filter({ hasText: "TT-0925" });
  assertEquals(await row.getByText("25,000.00", { exact: true }).count(), 1);
}

/** The same transfer is not credited twice: the form says so before the passkey is asked. */
async function creditTwice({ people: [amal], words }: ConsoleDay) {
  await amal!.go("/fundings");
  await amal!.submit(words.acts["funding.credit"], {
    [words.partner]: BANK,
    [words.fields.amount_sar]: "26,000",
    [words.orders.reference]: "TT-0925",
  });
  await amal!.page.getByRole("alert").first().waitFor();
  await amal!.look();
  assertEquals(await amal!.page.getByRole("button", { name: words.act.button }).count(), 0);
}

/** A large credit under the wrong reference is rejected by the second person, and asked for again. */
async function rejectCredit({ people: [amal, badr], words }: ConsoleDay) {
  const ask = async (reference: string) => {
    await amal!.go("/fundings");
    const notice = await amal!.act(words.acts["funding.credit"], {
      [words.partner]: BANK,
      [words.fields.amount_sar]: "150,000",
      [words.orders.reference]: reference,
    });
    assertStringIncludes(notice, words.roles.treasury);
  };
  await ask("TT-0962");
  await badr!.go("/approvals");
  const why = { [words.overview.reason]: "the bank's line says TT-0926" };
  assertStringIncludes(await badr!.act(words.acts["approval.reject"], why), words.act.rejected);
  await ask("TT-0926");
  await approve({ people: [amal!, badr!], words });
  await amal!.go("/fundings");
  assertEquals(await amal!.page.getByText("TT-0962").count(), 0);
  await amal!.page.getByText("TT-0926").waitFor();
}

/** The second person approves the only request that waits. */
async function approve({ people: [, badr], words }: Pick<ConsoleDay, "people" | "words">) {
  await badr!.go("");
  await badr!.follow(badr!.page.getByRole("link", { name: words.overview.toApprove }));
  assertStringIncludes(await badr!.act(words.acts["approval.approve"]), words.act.done);
}

/** Today has two withdrawals to pay; the older one is paid, each step by two people. */
async function pay(day: ConsoleDay) {
  const { people: [amal], words } = day;
  await amal!.go("");
  const link = amal!.page.getByRole("link", { name: words.overview.toPay });
  assertEquals(await link.locator("xpath=../strong").innerText(), "2");
  await step(day, "withdrawal.processing", "1,000.00");
  await step(day, "withdrawal.completed", "1,000.00");
}

/** The bank returns the other one: the money is the partner's again. */
async function takeBack(day: ConsoleDay) {
  const { people: [amal], words: { withdrawals, overview } } = day;
  await step(day, "withdrawal.processing", "2,000.00");
  await step(day, "withdrawal.failed", "2,000.00");
  await amal!.go(`/withdrawals?partner=${BANK}&status=failed`);
  const row = amal!.page.getByRole("row").filter({ hasText: "2,000.00" });
  assertEquals(await row.getByText(withdrawals.statuses.failed, { exact: true }).count(), 1);
  await amal!.go("");
  assertEquals(await amal!.page.getByRole("link", { name: overview.toPay }).count(), 0);
}

/** Takes a step of the withdrawal with this amount, which the second person approves. */
async function step(
  day: ConsoleDay,
  act: "withdrawal.processing" | "withdrawal.completed" | "withdrawal.failed",
  amount: string,
) {
  const { people: [amal], words } = day;
  await amal!.go("/withdrawals");
  const row = amal!.page.getByRole("row").filter({ hasText: amount });
  const reason = { [words.overview.reason]: "the account is closed" };
  const fields = act === "withdrawal.failed" ? reason : {};
  assertStringIncludes(await amal!.act(words.acts[act], fields, row), words.roles.treasury);
  await approve(day);
}

/** The statement of the last final day is read, printed and taken as a file; today's has what was done. */
async function close({ people: [amal], words }: ConsoleDay) {
  const { statements, orders, pages, print } = words;
  const { page } = amal!;
  // A day is final ten minutes after its end.
  const [day = ""] = moment(Date.now() - DAY_MS - 600_000).split(" ");
  await amal!.follow(
    page.getByRole("navigation").getByRole("link", { name: pages.statements }),
  );
  await amal!.submit(orders.show, { [words.partner]: BANK, [statements.day]: day });
  await page.getByText(statements.closed, { exact: true }).waitFor();
  await amal!.look();
  assertStringIncludes(await amal!.fact(statements.closing), "1,000,000.00");
  const download = await amal!.download(page.getByRole("link", { name: orders.export }));
  assertEquals(download.suggestedFilename(), `sabika-statement-${BANK}-${day}.csv`);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assertEquals(await page.getByRole("button", { name: print }).isVisible(), false);
  assertEquals(await page.getByRole("navigation").isVisible(), false);
  assertEquals(await page.getByLabel(statements.day, { exact: true }).isVisible(), false);
  const foot = await page.getByRole("contentinfo").innerText();
  for (const said of [page.url(), "amal"]) assertStringIncludes(foot, said);
  // The reader's scheme is dark, and paper is not.
  const ink = await page.evaluate("getComputedStyle(document.querySelector('h1')).color");
  assertEquals(ink, "rgb(28, 27, 25)");
  assert((await page.pdf()).length > 1_000);
  await page.emulateMedia({ media: null, colorScheme: null });
  await amal!.go(`/statements?partner=${BANK}`);
  await page.getByText(statements.provisional, { exact: true }).waitFor();
  // A million, two credits, and the withdrawal that was paid.
  assertStringIncludes(await amal!.fact(statements.closing), "1,174,000.00");
}
