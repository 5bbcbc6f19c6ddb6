import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import type { AdminCells } from "@sabika/service/audit";
import { CellError } from "@sabika/service/cells";
import { ROLES } from "@sabika/terms";
import { createOffice } from "@sabika/office";
import { formatHalalas, formatTime } from "@sabika/protocol";
import { openConsoleApp, signedInPerson } from "../../test/support/console_app.ts";
import { openPartnerOfCell } from "../../test/support/partner_of_cell.ts";
import { value } from "../../test/support/test_market.ts";
import { TEST_IBAN } from "../../test/support/test_partner.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// The pages of a partner whose rows are in another database than control's (Decision D53).

const opened = await openPartnerOfCell();
const { admin, control, cell, sabika, prices, trading, bank } = opened;
const [ofControl, inCell] = [control, cell].map((database) =>
  openDatabase(database.urlAs("sabika_operator"), { maxConnections: 3 })
);
/** Nothing listens there, as when PostgreSQL is killed after the database was opened. */
const gone = openDatabase("postgres://sabika_operator@127.0.0.1:1/sabika", { maxConnections: 1 });
after(async () => {
  await Promise.all([ofControl!.close(), inCell!.close(), gone.close()]);
  await opened.close();
});
await sabika("vault", "allocate", "of-b", "600");
await sabika("funding", "credit", "of-b", "9000", "--reference", "FT-CELL");
await sabika(
  ...commandLine`partner create --client-id of-main --name ${"Of Main"} --with-keys
    --iban ${TEST_IBAN} --webhook-url https://127.0.0.1:1024/`,
);
await sabika("vault", "allocate", "of-main", "5");
await sabika("funding", "credit", "of-main", "70", "--reference", "FT-MAIN");
const quote = value(await trading.quote(bank.quote()));
const order = value(await trading.order(bank.order(quote.id)));
const withdrawal = value(await trading.withdraw(bank.withdraw(100_00n)));

const errors: unknown[] = [];

/** Opens the console of an office that reaches its cells through `cells`. */
function consoleWith(cells: AdminCells) {
  const office = createOffice(
    { ...admin, database: ofControl!, cells },
    "https://office.sabika.example",
  );
  const app = openConsoleApp({ office, viewer: signedInPerson("amal", ROLES), prices, errors });
  return async (path: string) => {
    const answer = await app.request(path);
    const location = answer.headers.get("location");
    return { status: answer.status, location, text: await answer.text() };
  };
}

const names = () => Promise.resolve(["b"]);
const today = formatTime(Date.now() + 3 * 3_600_000).slice(0, 10);
const [quoteId, orderId, withdrawalId] = [quote.id, order.id, withdrawal.id];

/** Each page, and a text about the partner that it shows. */
const PAGES: readonly (readonly [path: string, expected: string])[] = [
  [`/statements?partner=of-b&day=${today}`, orderId],
  [`/statements.csv?partner=of-b&day=${today}`, orderId],
  ["/ledger?partner=of-b", orderId],
  ["/orders", orderId],
  ["/orders?partner=of-b", orderId],
  ["/orders.csv", orderId],
  [`/orders/${orderId}`, quoteId],
  ["/quotes", quoteId],
  ["/quotes?partner=of-b", quoteId],
  ["/fundings", "FT-CELL"],
  ["/fundings?partner=of-b", "FT-CELL"],
  ["/withdrawals", withdrawalId],
  ["/withdrawals?status=all", withdrawalId],
  ["/partners/of-b/deliveries", "order.executed"],
  ["/partners.csv", "healthy"],
  ["/endpoints", "of-b"],
  ["/vault", "of-b"],
];

test("every page shows what a partner of another cell did, like any other partner's", async () => {
  const readPage = consoleWith({ names, open: () => Promise.resolve(inCell!) });
  for (const [path, expected] of PAGES) {
    const { status, text } = await readPage(`/en${path}`);
    assertEquals(status, 200, `${path}: ${String(errors[0])}`);
    assertStringIncludes(text, expected, path);
  }
  // An unknown partner has no list.
  assertEquals((await readPage("/en/orders?partner=nobody")).status, 400);
  const found = await readPage(`/en/orders?find=${orderId}`);
  assertEquals(found.location, `/en/search?q=${orderId}`);
});

test("one search finds by id, key, reference, IBAN, name and amount, in every cell", async () => {
  const readPage = consoleWith({ names, open: () => Promise.resolve(inCell!) });
  const [funding] = await inCell!.sql<{ id: string }[]>`
    select 'fund_' || funding_id as id from fundings where reference = 'FT-CELL'`;
  const [event] = await inCell!.sql<{ id: string }[]>`
    select 'evt_' || event_id as id from events where type = 'funding.completed'`;
  const cases = [
    [orderId, `/orders/${orderId}`],
    [quoteId, `/orders/${orderId}`],
    [withdrawalId, `/withdrawals/${withdrawalId}`],
    [event!.id, `/events/${event!.id}`],
    [funding!.id, `/fundings/${funding!.id}`],
    ["FT-CELL", `/fundings/${funding!.id}`],
    ["9,000.00", `/fundings/${funding!.id}`],
    ["٩٠٠٠", `/fundings/${funding!.id}`],
    ["sar 100", `/withdrawals/${withdrawalId}`],
    [formatHalalas(order.totalHalalas), `/orders/${orderId}`],
    ["of main", "/partners/of-main"],
  ];
  for (const [text, path] of cases) {
    const { location } = await readPage(`/en/search?q=${encodeURIComponent(text!)}`);
    assertEquals(location, `/en${path}`, text);
    assertEquals((await readPage(location!)).status, 200, location!);
  }
  const several = await readPage(`/en/search?q=${TEST_IBAN}`);
  for (const href of ["/partners/of-b", "/partners/of-main", `/withdrawals/${withdrawalId}`]) {
    assertStringIncludes(several.text, `href="/en${href}"`);
  }
  const nothing = await readPage("/ar/search?q=nowhere");
  assertStringIncludes(nothing.text, "لا شيء معروف بـ«nowhere»");
  assertStringIncludes(nothing.text, "31");
  assertEquals(errors, []);
});

/** Pages that join every cell, each with what it shows while the cell is away. */
const JOINED: readonly (readonly [path: string, expected: string])[] = [
  ["", "Mid price"],
  ["/orders", "No orders"],
  ["/quotes", "No quotes"],
  ["/fundings", "FT-MAIN"],
  ["/withdrawals", "No withdrawals"],
  ["/withdrawals?status=all", "No withdrawals"],
  ["/partners", "of-b"],
  ["/endpoints", "of-main"],
  ["/vault", "of-main"],
];
const ALERT = "Cells that cannot be asked now: b.";
/** How a cell is away: it was never reached, or was open when its PostgreSQL was killed. */
const AWAY: Readonly<Record<string, () => Promise<Database>>> = {
  unreached: () => Promise.reject(new CellError("it does not answer")),
  killed: () => Promise.resolve(gone),
};

for (const [cause, open] of Object.entries(AWAY)) {
  test(`while a cell is away (${cause}) pages show the others, and say which they lack`, async () => {
    const readPage = consoleWith({ names, open });
    for (const [path, expected] of JOINED) {
      const { status, text } = await readPage(`/en${path}`);
      assertEquals(status, 200, `${path}: ${String(errors[0])}`);
      assertStringIncludes(text, ALERT, path);
      assertStringIncludes(text, expected, path);
      for (const id of [orderId, quoteId, withdrawalId]) assert(!text.includes(id), path);
    }
    assertStringIncludes((await readPage("/ar")).text, "خلايا لا يمكن سؤالها الآن: b.");
    assert(!(await readPage("/en/audit")).text.includes(ALERT));
    assertEquals(errors, []);
  });

  test(`while a cell is away (${cause}) sums over all cells are not shown`, async () => {
    const readPage = consoleWith({ names, open });
    const { text } = await readPage("/en");
    // Volume, margin, position, and the shares of the vault's gold.
    assertEquals(text.split("not known without every cell").length - 1, 4);
    assertStringIncludes(text, "Free in the vault");
    assert(!text.includes("Gold by the hour") && !text.includes("Held by customers"));
    assertStringIncludes((await readPage("/en/vault")).text, "not known without every cell");
    const { text: partners } = await readPage("/en/partners");
    const row = partners.slice(partners.indexOf("/partners/of-b"));
    assertEquals(row.slice(0, row.indexOf("</tr>")).split("–").length - 1, 4);
  });

  test(`while a cell is away (${cause}) no file, and no page of its partner, is shown`, async () => {
    const readPage = consoleWith({ names, open });
    const joined = JOINED.map(([path]) => path);
    for (const [path] of PAGES.filter(([path]) => !joined.includes(path))) {
      const { status, text } = await readPage(`/en${path}`);
      assertEquals(status, 503, path);
      if (cause === "unreached") {
        assertStringIncludes(text, "cannot be used: it does not answer", path);
      }
    }
    assertEquals(errors.splice(0).length > 0, cause === "killed");
  });
}
