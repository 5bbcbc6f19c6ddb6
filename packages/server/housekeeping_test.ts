import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { Database } from "@sabika/database";
import { type AuditHead, verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { createCells } from "@sabika/service/cells";
import { createFixedPrice } from "@sabika/service/prices";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { openTestOutbox } from "../../test/support/test_outbox.ts";
import { housekeepingJobs, type HousekeepingParts } from "./housekeeping.ts";
import { startJobs } from "./jobs.ts";

/** The jobs over a test's database; `more` replaces some of their parts. */
const jobsOn = (app: Database, more: Partial<HousekeepingParts>) =>
  housekeepingJobs({
    database: app,
    checkingDatabase: app,
    cells: createCells({ trading: app, checking: app }, () => undefined),
    prices: createFixedPrice({ midTenThousandths: 4_850_000n }),
    now: Date.now,
    databaseNow: Date.now,
    monotonic: () => performance.now(),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    nonceRetentionSeconds: 86_400,
    webhookAttemptsDays: 90,
    evidenceDays: 3653,
    priceDays: 3653,
    receiptSigner: undefined,
    isBusy: () => false,
    onDatabaseState: () => {},
    onWrongBalances: () => {},
    onBreakGlass: () => {},
    onAuditHead: () => Promise.resolve(),
    ...more,
  });

test("an instance whose clock is days ahead frees no nonce that could be replayed", async () => {
  const { database, app, close } = await openTestDatabase();
  const jobs = jobsOn(app, { now: () => Date.now() + 3 * 86_400_000 });
  const partitions = async () => {
    const rows = await database.sql<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'nonces'::regclass order by 1`;
    return rows.map(({ name }) => name);
  };
  const nowSeconds = Math.floor(Date.now() / 1000);
  await database.sql`select make_nonce_partitions(${nowSeconds}::bigint)`;
  const before = await partitions();
  await jobs.find(({ name }) => name === "nonce_partitions")!.run();
  assertEquals(await partitions(), before);
  await close();
});

test("each new head of the audit log is published once, and again when that failed", async () => {
  const { database, app, close } = await openTestDatabase();
  const published: AuditHead[] = [];
  const broken: number[] = [];
  let isFull = false;
  const [job] = jobsOn(app, {
    onBreakGlass: (count) => broken.push(count),
    onAuditHead: (head) => {
      if (isFull) return Promise.reject(new Error("no space"));
      published.push(head);
      return Promise.resolve();
    },
  }).filter(({ name }) => name === "audit_head");
  const act = () => database.sql`insert into audit_log (actor, action) values ('a', 'b')`;
  await act();
  await job!.run();
  await job!.run();
  assertEquals(published.map(({ auditId }) => auditId), [1n]);
  await database.sql`insert into audit_log (actor, action, detail)
    values ('a', 'b', '{"break_glass":"fire"}')`;
  isFull = true;
  await assertRejects(() => job!.run() as Promise<void>, Error, "no space");
  assertEquals(broken, [1], "the alarm waits for no file");
  isFull = false;
  await job!.run();
  assertEquals(published.map(({ auditId }) => auditId), [1n, 2n]);
  const { findings } = await withAuditRecord(
    database.sql,
    (record) => verifyAudit(record, published),
  );
  assertEquals(broken, [1]);
  assertEquals(findings, []);
  await close();
});

test("making receipts ends with the process, although orders keep coming (F21)", {
  timeout: 20_000,
}, async () => {
  const outbox = await openTestOutbox();
  const partnerId = await outbox.addPartner(null);
  await outbox.writePings(partnerId, 1);
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => begun = resolve);
  const jobs = jobsOn(outbox.test.app, {
    receiptSigner: {
      async sign() {
        await outbox.writePings(partnerId, 1);
        begun();
        return [];
      },
      signText: () => Promise.reject(new Error("no document")),
    },
  });
  const stop = startJobs(jobs.filter(({ name }) => name === "receipts"), () => {});
  await hasBegun;
  await stop();
  await outbox.close();
});
