import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { listBars, readRefiners } from "@sabika/service/vault";
import { codeOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { performAct } from "./perform.ts";
import type { ActArguments } from "@sabika/identity/signatures";

// Decision D109: each bar says which list its refiner was on when it came in.

const admin = await openTestAdmin("production");
after(() => admin.close());

const act = async (name: string, input: ActArguments) =>
  codeOf(await performAct(admin, { name, arguments: input, breakGlass: "a test" }));

const DOCUMENT = "ab".repeat(32);
const riyadh = (days: number) =>
  new Date(Date.now() + (days * 24 + 3) * 3_600_000).toISOString().slice(0, 10);
const enlist = (list: string, refiner: string, from: string, document = DOCUMENT) =>
  act("refiner.add", { list, refiner, from_day: from, document_sha256: document });
const bar = (serial: string, refiner: string, more: object = {}) => ({
  serial,
  refiner,
  fineness: "999.9",
  weight_grams: "1000",
  ...more,
});
const add = (serial: string, refiner: string, more: object = {}) =>
  act("vault.bars.add", { bars: [bar(serial, refiner, more)] } as ActArguments);
const provenance = async (serial: string) => {
  const found = (await listBars(admin.database.sql)).find((bar) => bar.serial === serial);
  return found && [found.refinerList, found.sourcingSha256];
};

test("production refuses a bar whose refiner is on no list, until it is set otherwise", async () => {
  assertEquals(await act("vault.bar.add", bar("B-1", "PAMP")), "refiner_unlisted");
  assertEquals(await add("B-1", "PAMP"), "refiner_unlisted");
  // The database does, too.
  await assertRejects(
    () =>
      admin.database
        .sql`insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
        values ('B-1', 'PAMP', 9999, 1)`,
    Error,
    "on no list",
  );
  assertEquals(await act("refiner.unlisted", { unlisted: "take_in" }), "done");
  assertEquals(await add("B-1", "PAMP"), "done");
  assertEquals(await provenance("B-1"), ["unlisted", null]);
  assertEquals(await act("refiner.unlisted", { unlisted: "refuse" }), "done");
  assertEquals(await add("B-2", "PAMP"), "refiner_unlisted");
});

test("a bar says the list of the day of its intake, for ever", async () => {
  assertEquals(await enlist("own", "Emirates", riyadh(0)), "done");
  assertEquals(await add("E-1", "Emirates"), "done");
  assertEquals(await enlist("good_delivery", "Emirates", "2020-01-01", "cd".repeat(32)), "done");
  assertEquals(await add("E-2", "Emirates", { list: "own" }), "refiner_unlisted");
  assertEquals(await add("E-2", "Emirates", { list: "good_delivery", year: "2019" }), "done");
  const yesterday = riyadh(-1);
  assertEquals(
    await act("refiner.end", { list: "own", refiner: "Emirates", until_day: yesterday }),
    "not_found",
  );
  for (const list of ["own", "good_delivery"]) {
    const until_day = list === "own" ? riyadh(0) : yesterday;
    assertEquals(await act("refiner.end", { list, refiner: "Emirates", until_day }), "done");
  }
  // The last day of one, and the day after that of the other.
  assertEquals(await add("E-3", "Emirates"), "done");
  assertEquals(await Promise.all(["E-1", "E-2", "E-3"].map(provenance)), [
    ["own", DOCUMENT],
    ["good_delivery", "cd".repeat(32)],
    ["own", DOCUMENT],
  ]);
  await admin.database.sql.begin(async (sql) => {
    await sql`update vault_bars set refiner_list = 'own', sourcing_sha256 = null where serial = 'E-2'`;
  });
  assertEquals(await provenance("E-2"), ["good_delivery", "cd".repeat(32)]);
  // A bar that comes back comes in anew.
  assertEquals(await act("vault.bar.remove", { serial: "E-2" }), "done");
  assertEquals(await add("E-2", "Emirates"), "done");
  assertEquals((await provenance("E-2"))![0], "own");
});

test("a refiner is on a list once at a time, and its times stay", async () => {
  assertEquals(await enlist("own", "Valcambi", riyadh(1)), "done");
  assertEquals(await add("V-1", "Valcambi"), "refiner_unlisted");
  assertEquals(await enlist("own", "Valcambi", riyadh(30)), "already_exists");
  assertEquals(
    await act("refiner.end", { list: "own", refiner: "Valcambi", until_day: riyadh(9) }),
    "done",
  );
  assertEquals(await enlist("own", "Valcambi", riyadh(9)), "already_exists");
  assertEquals(await enlist("own", "Valcambi", riyadh(10)), "done");
  const times = (await readRefiners(admin.database.sql)).filter(({ refiner }) =>
    refiner === "Valcambi"
  );
  assertEquals(times.map(({ fromDay, untilDay }) => [fromDay, untilDay]), [
    [riyadh(10), null],
    [riyadh(1), riyadh(9)],
  ]);
  assertEquals(await enlist("own", "Valcambi", "tomorrow"), "invalid_setting");
});

test("an owner who lists a refiner later, or another, is found", async () => {
  const findings = async () =>
    (await withAuditRecord(admin.database.sql, verifyAudit)).findings.map(({ message }) => message);
  assertEquals(await findings(), []);
  await byForce(
    admin.database,
    "update vault_bars set refiner_list = 'good_delivery' where serial = 'B-1'",
    `insert into refiners (list, refiner, from_day, document_sha256) values ('own', 'PAMP', '2020-01-01', '${DOCUMENT}')`,
  );
  const [refiner, bar] = await findings();
  assert(refiner!.startsWith("refiners PAMP/own/2020-01-01: no entry"), refiner);
  assert(bar!.startsWith("vault_bars B-1: refiner_list is good_delivery"), bar);
});
