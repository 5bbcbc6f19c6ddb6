import { after, test } from "node:test";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listCredentials, warnExpiringCredentials } from "@sabika/service/partners";
import { migrate } from "@sabika/service/schema";
import { codeOf } from "../../test/support/answers.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openLink } from "../../test/support/link.ts";
import { postTransfer } from "../../test/support/post_transfer.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { operatorOf } from "../../test/support/run_operator.ts";
import { HEALTH, read, signed, tokenRequest, write } from "../../test/support/service_requests.ts";
import type { ServicePartner } from "../../test/support/service_partner.ts";
import {
  copyFromControl,
  endCopies,
  operatorWithCells,
  runReplicating,
} from "../../test/support/test_cells.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { makeSigningRequest } from "../../test/support/test_request.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { until } from "../../test/support/until.ts";

// (D53) Control and a cell, two databases of a PostgreSQL that may replicate; added as docs/scale.md says.

const server = await runReplicating();
const service = await startTestService({ server: server.url });
const { test: control, partners: [bankA, bankB] } = service;
const cell = await openTestDatabase({ server: server.url });
const link = await openLink(() => ({ host: "127.0.0.1", port: server.port }));
const folder = temporaryFolder();
after(async () => {
  await endCopies(cell);
  await link.close();
  await cell.close();
  await service.close();
  await server.stop();
});

const { envOf: operatorEnv, refusalOf } = operatorWithCells({
  file: join(folder, "cells"),
  control,
  masterKeyText: service.admin.masterKeyText,
});
const asOperator = cell.urlAs("sabika_operator");
await copyFromControl({ server, control, cell });
await operatorOf(await operatorEnv({ b: asOperator }))("cell", "add", "b");

/** Moves a partner of `main` that has not traded yet to `b`. */
async function moveUntouched({ partnerId }: ServicePartner): Promise<void> {
  await control.database.sql.begin(async (sql) => {
    await sql`update register_state set revision = revision + 1`;
    // Where nobody listens: each attempt to deliver fails at once.
    await sql`update partners set webhook_url = 'https://127.0.0.1:1/'`;
    await sql`update partners set cell_id = 'b', revision = r.revision from register_state r
      where partner_id = ${partnerId}`;
  });
  await until(async () => {
    const found = await cell.database.sql`
      select from partners where partner_id = ${partnerId} and cell_id = 'b'`;
    return found.length === 1;
  });
  await cell.database.sql.begin(async (sql) => {
    await sql`select open_accounts(${partnerId}::integer)`;
    await postTransfer(sql, {
      partnerId,
      asset: "XAU",
      debit: "vault",
      credit: "allocation",
      amount: 1_000_000_000n,
      sourceKind: "allocation",
      sourceId: crypto.randomUUID(),
    });
  });
}

test("partners trade in their own cells, and a cell that is away stops only its own partners (F83)", async () => {
  await moveUntouched(bankA);
  const [certificate] = await listCredentials(control.database.sql, Date.now(), {
    kind: "certificate",
  });
  const warning = {
    database: control.app,
    databaseOf: (id: number) => id === bankA.partnerId ? cell.app : control.app,
    nowMs: certificate!.validUntilMs! - 7 * 86_400_000,
  };
  assertEquals(await warnExpiringCredentials(warning), 2);
  await control.database.sql`delete from credential_warnings`;
  assertEquals(await warnExpiringCredentials(warning), 0);
  const [warned] = await cell.database.sql`
    select count(*)::int as events from events where type = 'credential.expiring'`;
  assertEquals(warned!["events"], 1);

  const logged: string[] = [];
  const throughLink = cell.urlAs("sabika_app").replace(`${server.port}`, `${link.port}`);
  const instance = service.createInstance(
    (_level, event, fields) => logged.push(`${event} ${fields?.cell ?? ""}`),
    {
      deliverWebhooks: true,
      webhookAllowLoopback: true,
      cellUrls: new Map([["b", throughLink], ["c", throughLink.replace(/port=\d+/, "port=1")]]),
    },
  );
  const { port } = await instance.start();
  try {
    assert(logged.includes("cell_open b") && logged.includes("cell_away c"), logged.join());
    const call = async (partner: ServicePartner) => {
      const caller = { ...service.caller(partner), port: port! };
      const token = JSON.parse((await sendRaw(caller, tokenRequest(partner))).body).access_token;
      return {
        get: (target: string) => sendRaw(caller, read(target, token)),
        fund: () => sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":100000}')),
        async askForKey() {
          const body = JSON.stringify(await makeSigningRequest(partner.clientId), ["csr"]);
          return await sendRaw(
            caller,
            await signed(partner, "/v1/credentials/signing-key", token, body),
          );
        },
        quoteOld: () =>
          sendRaw(
            caller,
            write("/v1/quotes", token, '{"side":"buy","gold_grams":1}', {
              "Sabika-Simulate": "old_quote",
            }),
          ),
        async buy() {
          const quoted = await sendRaw(
            caller,
            write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'),
          );
          assertEquals(quoted.status, 201, quoted.body);
          const body = `{"quote_id":"${JSON.parse(quoted.body).id}"}`;
          return await sendRaw(caller, await signed(partner, "/v1/orders", token, body));
        },
      };
    };
    const [a, b] = [await call(bankA), await call(bankB)];
    for (const bank of [a, b]) {
      assertEquals((await bank.fund()).status, 201);
      const order = await bank.buy();
      assertEquals(order.status, 201, order.body);
      const lists = await Promise.all(["/v1/orders", "/v1/ledger-entries"].map(bank.get));
      assertEquals(lists.map(({ status }) => status), [200, 200]);
      assertEquals(JSON.parse(lists[0]!.body).data.length, 1);
    }
    // Control keeps what is asked of credentials, and each partner's cell the key that it was asked by.
    for (const bank of [a, b]) assertEquals((await bank.askForKey()).status, 201);
    const keysIn = async ({ sql }: typeof control.database) =>
      (await sql<{ id: number }[]>`select partner_id as id from idempotency_keys
        where resource_kind = 'credential'`).map(({ id }) => id);
    assertEquals(await keysIn(cell.database), [bankA.partnerId]);
    assertEquals(await keysIn(control.database), [bankB.partnerId]);
    assertEquals(JSON.parse((await a.get("/v1/credentials")).body).data.length, 1);

    const ordersIn = async ({ sql }: typeof control.database) =>
      (await sql<{ id: number }[]>`select partner_id as id from orders`).map(({ id }) => id);
    assertEquals(await ordersIn(cell.database), [bankA.partnerId]);
    assertEquals(await ordersIn(control.database), [bankB.partnerId]);

    const old = JSON.parse((await a.quoteOld()).body);
    assert(Date.parse(old.created_at) < Date.now() - 60_000, old.created_at);
    const attempted = async ({ sql }: typeof control.database, { partnerId }: ServicePartner) =>
      (await sql`select from webhook_attempts where partner_id = ${partnerId}`).length > 0;
    await until(() => attempted(cell.database, bankA));
    await until(() => attempted(control.database, bankB));
    assertEquals(await attempted(control.database, bankA), false);

    link.cut();
    await b.get("/v1/limits");
    const [refused, balances, funded] = await Promise.all([
      a.fund(),
      a.get("/v1/balances"),
      b.fund(),
    ]);
    for (const answer of [refused, balances]) assertEquals(codeOf(answer), "service_unavailable");
    assertEquals(funded.status, 201);
    const health = (partner: ServicePartner) =>
      sendRaw({ ...service.caller(partner), port: port! }, HEALTH);
    assertEquals([(await health(bankA)).status, (await health(bankB)).status], [503, 200]);
    assertEquals((await b.buy()).status, 201);
    link.heal();
    await until(async () => (await a.get("/v1/balances")).status === 200, 60_000);
    assertEquals((await a.buy()).status, 201);
  } finally {
    await instance.stop();
  }
});

test("a cell that is behind, differs, or gets no copies is served once that is mended", async () => {
  const logged: string[] = [];
  const { sql } = cell.database;
  // Only a restore brings either state about.
  const asReplica = (statement: string) =>
    sql.begin(async (within) => {
      await within`set local session_replication_role = replica`;
      await within.unsafe(statement);
    });
  await asReplica(
    "delete from schema_versions where version = (select max(version) from schema_versions)",
  );
  await asReplica(`insert into accounts (partner_id) values (${bankB.partnerId})`);
  const instance = service.createInstance(
    (_level, event, fields) => logged.push(`${event} ${fields?.reason ?? ""}`),
    { cellUrls: new Map([["b", cell.urlAs("sabika_app")]]), cellCheckMs: 200 },
  );
  const since = (event: string, words: string) =>
    until(() => logged.some((line) => line.startsWith(event) && line.includes(words)), 60_000);
  await instance.start();
  try {
    await since("cell_away", "run `sabika migrate`");
    await migrate(cell.database);
    await since("cell_away", "1 partner(s) at home here that control places elsewhere");
    await asReplica(`delete from accounts where partner_id = ${bankB.partnerId}`);
    await since("cell_open", "");

    // As after a promotion of control, which leaves the slots behind.
    logged.length = 0;
    await sql`alter subscription sabika_partners disable`;
    await until(() =>
      control.database.sql`select pg_drop_replication_slot('sabika_b')`
        .then(() => true, () => false)
    );
    await since("cell_away", 'no longer keeps the slot "sabika_b"');
    await control.database.sql`select pg_create_logical_replication_slot('sabika_b', 'pgoutput')`;
    await sql`alter subscription sabika_partners enable`;
    await since("cell_open", "");
  } finally {
    await instance.stop();
  }
});

test("a cell is drained, and removed when nothing lives there any more", async () => {
  const lines = { b: asOperator };
  const sabika = operatorOf(await operatorEnv(lines));
  assertStringIncludes(await refusalOf(lines, "cell", "remove", "b", "--yes"), "drain it first");
  assertStringIncludes(await refusalOf(lines, "cell", "drain", "main"), "which stays");
  assertStringIncludes(await refusalOf(lines, "cell", "drain", "z"), 'no cell "z"');
  assertEquals(
    await sabika("cell", "drain", "b"),
    { cell: "b", state: "draining", partners: [bankA.clientId] },
  );
  const admit = ["partner", "create", "--client-id", "late", "--name", "Late", "--cell", "b"];
  admit.push("--iban", "SA0380000000608010167519", "--webhook-url", "https://127.0.0.1:1024/");
  admit.push("--with-keys", "--out", join(folder, "late"));
  assertStringIncludes(await refusalOf(lines, ...admit), "no new partners: it is draining");
  assertEquals((await sabika("cell", "drain", "b", "--undo"))["state"], "open");
  await sabika("cell", "drain", "b");
  const refusal = () => refusalOf(lines, "cell", "remove", "b", "--yes");
  assertStringIncludes(await refusal(), "1 partner(s) live there still");

  // Control says that the partner has moved; the rows in the cell say otherwise.
  await control.database.sql`insert into cell_acts (act_id, cell_id, partner_id, name, subject_id)
    values (gen_random_uuid(), 'b', ${bankA.partnerId}, 'webhook.enable', gen_random_uuid())`;
  await control.database.sql`update partners set cell_id = 'main'`;
  assertStringIncludes(await refusal(), "1 act(s) are still to be booked");
  await control.database.sql`select finish_act(act_id, 'booked') from cell_acts`;
  assertStringIncludes(await refusal(), "events of 1 partner(s) are still to be delivered");
  await cell.database.sql`update webhook_lanes set next_sequence = 1000000`;
  await cell.database.sql`delete from event_deliveries`;
  assertStringIncludes(await refusal(), "the accounts of 1 partner(s) are there still");
  await cell.database.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`delete from accounts`;
  });

  assertEquals(await sabika("cell", "remove", "b", "--yes"), { cell: "b", removed: true });
  const listed = await sabika<{ cell: string }[]>("cell", "list");
  assertEquals(listed.map(({ cell }) => cell), ["main"]);
  const actions = (await sabika<{ action: string }[]>("audit", "list")).map(({ action }) => action);
  assertEquals(actions.slice(0, 2), ["cell.remove", "cell.drain"]);
  assertStringIncludes(await refusalOf(lines, "cell", "add", "b"), "there is, or was, a cell");
});
