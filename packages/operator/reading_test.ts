import { after, before, test } from "node:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { performAct } from "@sabika/office/acts";
import { createFixedPrice } from "@sabika/service/prices";
import { createTrading } from "@sabika/service/trading";
import type { IdempotentOutcome, Order } from "@sabika/protocol";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { admitTestPartner, random, type TestPartner } from "../../test/support/test_partner.ts";
import { adminOn } from "../../test/support/test_admin.ts";

interface Listed {
  readonly data: Record<string, unknown>[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const testDatabase = await openTestDatabase();
const env = { SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"), SABIKA_DATA: "/nowhere" };
const sabika = operatorOf(env);
const banks: TestPartner[] = [];
const made: Order[] = [];
const folder = temporaryFolder();
let names: readonly string[];

function value<T>(outcome: IdempotentOutcome<T>): T {
  assert(outcome.ok, outcome.ok ? "" : outcome.code);
  return outcome.value;
}

before(async () => {
  const admin = await adminOn(testDatabase.database, "sandbox", Date.now);
  const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
  const trading = createTrading({ database: testDatabase.app, prices, random, now: Date.now });
  for (let n = 0; n < 2; n++) {
    const rich = { cashHalalas: 1_000_000_00n, goldMicrograms: 100_000_000n };
    banks.push(await admitTestPartner(testDatabase.database, rich));
  }
  const { sql } = testDatabase.database;
  const rows = await sql<{ name: string }[]>`
    select client_id as name from partners order by partner_id`;
  names = rows.map(({ name }) => name);
  for (const side of ["buy", "sell", "buy"] as const) {
    for (const bank of banks) {
      const quote = value(await trading.quote(bank.quote({ side })));
      made.push(value(await trading.order(bank.order(quote.id))));
    }
  }
  const input = { partner: names[1]!, amount_sar: "250.5", reference: "FT1" };
  assert((await performAct(admin, { name: "funding.credit", arguments: input })).ok);
});
after(async () => {
  await testDatabase.close();
});

const ids = ({ data }: Listed) => data.map(({ id }) => id);

test("orders are listed newest first, page by page, narrowed by partner, side and time", async () => {
  const newest = made.map(({ id }) => id as string).sort().reverse();
  const first = await sabika<Listed>("order", "list", "--limit", "4");
  assertEquals([ids(first), first.has_more], [newest.slice(0, 4), true]);
  const rest = ["order", "list", "--limit", "4", "--after", first.next_cursor!];
  const second = await sabika<Listed>(...rest);
  assertEquals([ids(second), second.has_more], [newest.slice(4), false]);
  const ofOne = await sabika<Listed>("order", "list", "--partner", names[0]!, "--side", "sell");
  assertEquals(ids(ofOne), [made[2]!.id]);
  const [order] = ofOne.data;
  assertEquals([order!["client_id"], order!["gold_grams"]], [names[0], 1]);
  const none = await sabika<Listed>("order", "list", "--until", "2026-01-01T00:00:00Z");
  assertEquals(ids(none), []);
  const today = await sabika<Listed>("order", "list", "--from", "2020-02-29");
  assertEquals(ids(today).length, made.length);
  const { stdout } = await runOperator(["order", "list", "--limit", "1"], env);
  assertStringIncludes(stdout, `there are more: --after ${newest[0]}`);
});

test("a day's statement is shown as a table, as JSON and as CSV; days are listed", async () => {
  const show = ["statement", "show", names[1]!];
  const { opening, closing, entries, provisional } = await sabika<{
    provisional: boolean;
    opening: { sar: number };
    closing: { sar: number; gold_grams: number };
    entries: { amount: number }[];
  }>(...show);
  assertEquals([provisional, opening.sar], [true, 0]);
  const balance = 1_000_000 - 403.01 * 2 + 397 + 250.5;
  assertEquals([closing.sar, closing.gold_grams], [Math.round(balance * 100) / 100, 101]);
  const csv = (await runOperator([...show, "--csv"], env)).stdout.trimEnd().split("\r\n");
  assertEquals(csv.length, entries.length + 1);
  assertStringIncludes(csv[0]!, "number,posted_at");
  const file = join(folder, "day.csv");
  const written = await runOperator([...show, "--csv", "--out", file], env);
  assertEquals(written.stdout, `${entries.length} entries are in ${file}\n`);
  assertEquals((await readFile(file, "utf8")).trimEnd().split("\r\n"), csv);
  const days = await sabika<{ provisional: boolean; entries: number; closing_sar: number }[]>(
    ...["statement", "list", "--partner", names[1]!, "--limit", "3"],
  );
  assertEquals(days.map((day) => [day.provisional, day.entries]), [
    [true, entries.length],
    [false, 0],
    [false, 0],
  ]);
  assertEquals(days[0]!.closing_sar, closing.sar);
});

test("what is not there, or is asked wrongly, is said in one line", async () => {
  const cases: [string[], number, RegExp][] = [
    [["order", "show", "ord_none"], 1, /no order ord_none/],
    [["quote", "show", made[0]!.id], 1, /no quote/],
    [["event", "show", "evt_none"], 1, /no event/],
    [["funding", "show", "fund_none"], 1, /no funding/],
    [["withdrawal", "show", "wd_none"], 1, /no withdrawal/],
    [["order", "list", "--partner", "nobody"], 1, /no partner "nobody"/],
    [["order", "list", "--after", "x"], 1, /--after/],
    [["event", "list", "--partner", names[0]!, "--after", "x"], 1, /--after/],
    [["quote", "list"], 2, /--partner is needed/],
    [["order", "list", "--limit", "101"], 2, /1 to 100/],
    [["order", "list", "--from", "2026-02-30"], 2, /2026-11-20/],
    [["statement", "show", names[0]!, "2999-01-01"], 1, /has not begun/],
    [["statement", "show", names[0]!, "--csv", "--json"], 2, /exclude/],
  ];
  for (const [args, code, message] of cases) {
    const run = await runOperator(args, env);
    assertEquals([run.code, run.stdout], [code, ""], args.join(" "));
    assertMatch(run.stderr, message);
  }
});
