import { after, before, describe, test } from "node:test";
import { assertEquals } from "@std/assert";
import { and, eq, sql } from "drizzle-orm";
import { accounts } from "@sabika/service/ledger";
import { partners } from "@sabika/service/partners";
import { openTestDatabase, type TestDatabase } from "../../test/support/test_database.ts";
import { drizzle } from "./drizzle.ts";

const NOW_MS = 1_700_000_000_123;

describe("rows of Drizzle's queries", () => {
  let database: TestDatabase;
  const orm = () => drizzle(database.database.sql);
  const ofPartner = eq(accounts.partnerId, partners.partnerId);

  before(async () => {
    database = await openTestDatabase();
    const partner = (clientId: string) => ({
      clientId,
      name: "Bank",
      settlementIban: "SA0380000000608010167519",
      createdAt: NOW_MS,
    });
    await orm().insert(partners).values([partner("bank-a"), partner("bank-b")]);
    await orm().insert(accounts).values({ partnerId: 1, cashHalalas: 5n, bankHalalas: -5n });
  });
  after(() => database.close());

  test("values are decoded by their columns, and plain SQL is returned as it comes", async () => {
    const { createdAt, webhookUrl } = partners;
    const rows = await orm().select({ createdAt, webhookUrl, two: sql<bigint>`2::bigint` })
      .from(partners).where(eq(partners.partnerId, 1));
    assertEquals(rows, [{ createdAt: NOW_MS, webhookUrl: null, two: 2n }]);
  });

  test("named SQL is decoded by its own mapping", async () => {
    const three = sql`3::bigint`.mapWith(Number).as("three");
    assertEquals(await orm().select({ three }).from(partners).limit(1), [{ three: 3 }]);
  });

  test("a joined table is null without a row, and an object of its columns with one", async () => {
    const { partnerId, cashHalalas } = accounts;
    const rows = await orm()
      .select({ name: partners.name, account: { partnerId, cashHalalas } })
      .from(partners).leftJoin(accounts, ofPartner).orderBy(partners.partnerId);
    assertEquals(rows, [
      { name: "Bank", account: { partnerId: 1, cashHalalas: 5n } },
      { name: "Bank", account: null },
    ]);
  });

  test("an inner-joined table is an object even when all its selected columns are null", async () => {
    const rows = await orm().select({ partner: { url: partners.webhookUrl } })
      .from(accounts).innerJoin(partners, ofPartner);
    assertEquals(rows, [{ partner: { url: null } }]);
  });

  test("an object of two tables is not null even when one of them has no row", async () => {
    const rows = await orm()
      .select({ both: { cash: accounts.cashHalalas, url: partners.webhookUrl } })
      .from(partners).leftJoin(accounts, and(ofPartner, eq(accounts.cashHalalas, 0n)));
    assertEquals(rows, Array(2).fill({ both: { cash: null, url: null } }));
  });
});
