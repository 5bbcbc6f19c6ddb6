import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type AdminCells, ROLES } from "@sabika/core/admin";
import { CellError, openDatabase } from "@sabika/core/store";
import { createOffice, type OfficeEnv } from "@sabika/office";
import { formatTime } from "@sabika/protocol";
import { Hono } from "hono";
import { openPartnerOfCell } from "../../test/support/partner_of_cell.ts";
import { createConsole } from "./mod.ts";

// (D53) The pages of a partner whose rows are in another database than control's.

const opened = await openPartnerOfCell();
const { admin, control, cell, sabika, prices, trading, bank } = opened;
const [own, inCell] = [control, cell].map((one) =>
  openDatabase(one.urlAs("sabika_operator"), { maxConnections: 3 })
);
after(async () => {
  await Promise.all([own!.close(), inCell!.close()]);
  await opened.close();
});
await sabika("vault", "allocate", "of-b", "600");
await sabika("funding", "credit", "of-b", "9000", "--reference", "FT-CELL");
const quote = await trading.quote(bank.quote());
assert(quote.ok);
const order = await trading.order(bank.order(quote.value.id));
assert(order.ok);
const withdrawal = await trading.withdraw(bank.withdraw(100_00n));
assert(withdrawal.ok);

const errors: unknown[] = [];

/** The console of an office that reaches cells so. */
function consoleWith(cells: AdminCells) {
  const listener = new Hono<OfficeEnv>();
  listener.use(async (context, next) => {
    context.set("person", {
      ...{ operatorId: 1, name: "amal", roles: ROLES, keyId: "a key", signedInUntilMs: null },
    });
    await next();
  });
  const pages = createConsole({ prices, onError: (error) => errors.push(error) });
  const office = createOffice({ ...admin, database: own!, cells }, "https://office.sabika.example");
  listener.route("/", pages(office));
  return async (path: string) => {
    const answer = await listener.request(path);
    return { status: answer.status, text: await answer.text() };
  };
}

const names = () => Promise.resolve(["b"]);
const today = formatTime(Date.now() + 3 * 3_600_000).slice(0, 10);
const [quoteId, orderId, withdrawalId] = [quote.value.id, order.value.id, withdrawal.value.id];

/** Each page, and what it shows of the partner. */
const PAGES: readonly (readonly [path: string, shows: string])[] = [
  [`/statements?partner=of-b&day=${today}`, orderId],
  [`/statements.csv?partner=of-b&day=${today}`, orderId],
  ["/ledger?partner=of-b", orderId],
  ...[["/orders", orderId], ["/orders?partner=of-b", orderId], ["/orders.csv", orderId]] as const,
  [`/orders/${orderId}`, quoteId],
  ...[["/quotes", quoteId], ["/quotes?partner=of-b", quoteId]] as const,
  ...[["/fundings", "FT-CELL"], ["/fundings?partner=of-b", "FT-CELL"]] as const,
  ...[["/withdrawals", withdrawalId], ["/withdrawals?status=all", withdrawalId]] as const,
  ["/partners/of-b/deliveries", "order.executed"],
  ...[["/partners.csv", "healthy"], ["/endpoints", "of-b"], ["/vault", "of-b"]] as const,
];

test("every page has what a partner of another cell did, as any other's", async () => {
  const read = consoleWith({ names, open: () => Promise.resolve(inCell!) });
  for (const [path, shows] of PAGES) {
    const { status, text } = await read(`/en${path}`);
    assertEquals(status, 200, `${path}: ${String(errors[0])}`);
    assertStringIncludes(text, shows, path);
  }
  // Another's list has none of it.
  assertEquals((await read("/en/orders?partner=nobody")).status, 400);
  const found = await read(`/en/orders?find=${orderId}`);
  assertEquals(found.status, 303);
});

test("while a cell is away its partners' pages say so, and show no part of a list", async () => {
  const away = () => Promise.reject(new CellError("it does not answer"));
  const read = consoleWith({ names, open: away });
  for (const [path] of PAGES) {
    const { status, text } = await read(`/en${path}`);
    assertEquals(status, 503, path);
    assertStringIncludes(text, "cannot be used: it does not answer", path);
  }
  assertEquals((await read("/en/audit")).status, 200);
  assertEquals(errors, []);
});
