import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { ActName } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { type AuditFilter, listAudit, writeAudit } from "./audit.ts";

const { database, close } = await openTestMarket();
after(close);
const { sql } = database;
const { partnerId } = await admitTestPartner(database, { cashHalalas: 0n });
const [partner] = await sql<{ clientId: string }[]>`
  select client_id as "clientId" from partners where partner_id = ${partnerId}`;
const { clientId } = partner!;
const NOW_MS = 1_800_000_000_000;

/** Writes an entry of a person at a second. */
const write = (who: string, name: string, atSecond: number, id: number | null, isTrial = false) =>
  sql.begin((tx) => {
    const actor = { who, from: "test" };
    const admin = { actor, now: () => NOW_MS + atSecond * 1_000, isTrial };
    return writeAudit(tx, admin, name as ActName, id, { second: atSecond });
  });

await write("amal", "price.pause", 1, null);
await write("badr", "price.resume", 2, null);
await write("amal", "partner.suspend", 3, partnerId);
await write("amal", "price.pause", 4, null, true);

const list = async (filter: Partial<AuditFilter>) =>
  (await listAudit(sql, { limit: 9, ...filter })).map(({ auditId }) => Number(auditId));

test("entries are listed newest first, by whom, what, whose and when; a trial leaves none", async () => {
  const cases: [Partial<AuditFilter>, number[]][] = [
    [{}, [3, 2, 1]],
    [{ limit: 2 }, [3, 2]],
    [{ who: "amal" }, [3, 1]],
    [{ action: "price.pause" }, [1]],
    [{ clientId }, [3]],
    [{ beforeId: 3n }, [2, 1]],
    [{ fromMs: NOW_MS + 2_000 }, [3, 2]],
    [{ toMs: NOW_MS + 2_000 }, [1]],
  ];
  for (const [filter, listed] of cases) {
    assertEquals(await list(filter), listed, Object.keys(filter).join());
  }
  const [last] = await listAudit(sql, { limit: 1 });
  assertEquals(last, {
    auditId: 3n,
    atMs: NOW_MS + 3_000,
    who: "amal",
    from: "test",
    action: "partner.suspend",
    clientId,
    detail: { second: 3 },
  });
});

test("an entry without the place that it came from is listed as well", async () => {
  const other = await openTestDatabase();
  await byForce(
    other.database,
    "insert into audit_log (at, actor, action, detail) values (now(), 'amal', 'act', '{}')",
  );
  const [entry] = await listAudit(other.database.sql, { limit: 1 });
  assertEquals([entry?.from, entry?.clientId], ["", null]);
  await other.close();
});
