/** Four eyes (D81): 50 approvals at once over two offices, of which one is killed. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { SignedAct } from "@sabika/identity/signatures";
import { listApprovals } from "@sabika/office/acts";
import { admitPartner } from "@sabika/office/partners";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { reconcile } from "@sabika/service/ledger";
import { ROLES } from "@sabika/terms";
import { freePort } from "../../tools/programs/free_port.ts";
import { endProcess } from "../../tools/programs/own_process.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { holdLock } from "../support/hold_lock.ts";
import { anAdmission, openTestAdmin, type TestAdmin } from "../support/test_admin.ts";
import { addPerson, type TestPerson } from "../support/test_people.ts";
import { until } from "../support/until.ts";
import { startServing } from "./server_process.ts";

const [PARTNERS, REQUESTS, EACH] = [5, 10, 5];
/** Above what one person may credit. */
const AMOUNT_SAR = 150_000;

let server: RunningPostgreSQL;
let admin: TestAdmin;
let amal: TestPerson;
let badr: TestPerson;
before(async () => {
  server = await runPostgreSQL({ durable: false });
  admin = await openTestAdmin("sandbox", { server: server.url });
  for (let n = 0; n < PARTNERS; n++) {
    assert((await admitPartner(admin, anAdmission(`bank-${n}`))).ok);
  }
  amal = await addPerson(admin, "amal", ROLES);
  badr = await addPerson(admin, "badr", ROLES);
});
after(async () => {
  await admin?.close();
  await server?.stop();
});

type Office = Awaited<ReturnType<typeof startOffice>>;

/** The office as a process of its own. */
async function startOffice() {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const office = startServing("packages/console/main.ts", {
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_ADMIN_LISTEN: `127.0.0.1:${port}`,
    SABIKA_ADMIN_ORIGIN: origin,
  }, "office");
  await office.serving;
  return {
    kill: () => endProcess(office.child, "SIGKILL"),
    stop: () => endProcess(office.child, "SIGTERM"),
    /** Approves a request as badr; what the office answers, or that it is gone. */
    async approve(request: string): Promise<"done" | "refused" | "gone"> {
      const { sha256 } = await read(request);
      const asked = await badr.sign("approval.approve", { request, sha256 }, Date.now());
      const { id, name, argumentsText, signedAtMs, signature } = (asked as { signed: SignedAct })
        .signed;
      const act = { id, name, arguments: JSON.parse(argumentsText), signed_at: signedAtMs / 1000 };
      const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/acts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ act, signature }),
      }).catch(() => undefined);
      const json = await answer?.json().catch(() => undefined);
      if (json === undefined) return "gone";
      if (json.state === "done") {
        assertEquals(json.result.state, "done");
        return "done";
      }
      assertEquals([answer!.status, json.code], [409, "invalid_state"], JSON.stringify(json));
      return "refused";
    },
  };
}

async function read(id: string) {
  const [one] = await listApprovals(admin.database.sql, "sandbox", { nowMs: Date.now(), id });
  return one!;
}

/** Credits that wait for a second person, two for each partner. */
async function request(of: string): Promise<string[]> {
  const requests: string[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const asked = await amal.ask("funding.credit", {
      ...{ partner: `bank-${n % PARTNERS}`, amount_sar: String(AMOUNT_SAR) },
      reference: `${of}-${n}`,
    });
    assert(asked.ok && "waiting" in asked.value, JSON.stringify(asked));
    requests.push(asked.value.waiting);
  }
  return requests;
}

/** 50 approvals at once: of each request by both offices, of the last two by the first one alone. */
function approveAll(requests: readonly string[], [first, second]: readonly [Office, Office]) {
  const sent = requests.flatMap((id, n) =>
    Array.from({ length: EACH }, (_, k) => {
      const isFirst = k % 2 === 0 || n >= REQUESTS - 2;
      return { id, isFirst, answer: (isFirst ? first : second).approve(id) };
    })
  );
  assertEquals(sent.length, 50);
  return sent;
}

/** Approves what still waits, five times at once each: once it is done. */
async function finish(requests: readonly string[], office: Office): Promise<number> {
  let left = 0;
  for (const id of requests) {
    if ((await read(id)).state !== "waiting") continue;
    left += 1;
    const answers = await Promise.all(Array.from({ length: EACH }, () => office.approve(id)));
    assertEquals(answers.sort(), ["done", ...Array(EACH - 1).fill("refused")]);
  }
  return left;
}

/** What was done of these requests, each by its own words in every book. */
async function findWrong(requests: readonly string[]): Promise<unknown[]> {
  const rows = await admin.database.sql`
    select request_id, state,
      (select count(*)::int from audit_log l where l.act_id = request_id
        and l.action = 'funding.credit') as done,
      (select count(*)::int from audit_log l join acts a on a.act_id = l.act_id
        where l.action = 'approval.approve'
          and a.arguments::json ->> 'request' = request_id::text) as approved,
      (select count(*)::int from fundings f join acts a on a.act_id = request_id
        where f.reference = a.arguments::json ->> 'reference'
          and f.amount_halalas = ${AMOUNT_SAR * 100}) as credited
    from approvals`;
  const own = rows.filter((row) => requests.includes(row["request_id"]));
  assertEquals(own.length, requests.length);
  return own.filter((row) =>
    row["state"] !== "done" || row["done"] !== 1 || row["approved"] !== 1 || row["credited"] !== 1
  );
}

async function assertBooks(creditsEach: number): Promise<void> {
  const { sql } = admin.database;
  const balances = await sql<{ cash: number }[]>`
    select (cash_halalas / 100)::float8 as cash from accounts`;
  assertEquals(balances.map(({ cash }) => cash), Array(PARTNERS).fill(creditsEach * AMOUNT_SAR));
  assertEquals(await reconcile(admin.database), []);
  assertEquals((await withAuditRecord(sql, (record) => verifyAudit(record))).findings, []);
}

/** How many of the offices' transactions wait for a lock. */
async function countWaiting(): Promise<number> {
  const [row] = await admin.database.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity
    where application_name = 'sabika-office' and wait_event_type = 'Lock'`;
  return row!.n;
}

test("50 approvals at once over two offices, one killed half way: what was left is approved again, each done once", async () => {
  const offices = [await startOffice(), await startOffice()] as const;
  const [doomed, other] = offices;
  try {
    const requests = await request("HALF");
    // The money is credited, and its entry waits for the head of the log: nothing is committed.
    const letGo = await holdLock(admin.database, (tx) => tx`select from audit_head for update`);
    const sent = approveAll(requests, offices);
    await until(async () => await countWaiting() >= 5, 20_000, "both offices are in the middle");
    await doomed.kill();
    await letGo();
    const answers = await Promise.all(
      sent.map(async ({ isFirst, answer }) => [isFirst, await answer] as const),
    );
    const of = (first: boolean) => answers.filter(([isFirst]) => isFirst === first);
    assert(of(true).every(([, said]) => said === "gone"), JSON.stringify(answers));
    assertEquals(of(false).filter(([, said]) => said === "done").length, REQUESTS - 2);
    assertEquals(await finish(requests, other), 2);
    assertEquals(await findWrong(requests), []);
    await assertBooks(2);
  } finally {
    for (const office of offices) await office.stop();
  }
});

test("50 approvals at once, the office killed at its first answer: nobody's act is lost or done twice", async () => {
  const offices = [await startOffice(), await startOffice()] as const;
  const [doomed, other] = offices;
  try {
    const requests = await request("FIRST");
    const sent = approveAll(requests, offices);
    await Promise.any(sent.filter(({ isFirst }) => isFirst).map(({ answer }) => answer));
    await doomed.kill();
    const answers = await Promise.all(sent.map(({ answer }) => answer));
    assert(answers.includes("done"), JSON.stringify(answers));
    await finish(requests, other);
    assertEquals(await findWrong(requests), []);
    await assertBooks(4);
  } finally {
    for (const office of offices) await office.stop();
  }
});
