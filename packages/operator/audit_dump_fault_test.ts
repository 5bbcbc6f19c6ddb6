import { Buffer } from "node:buffer";
import { test } from "node:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { performAct } from "@sabika/office/acts";
import { admitPartner } from "@sabika/office/partners";
import { dumpDatabase, restoreDump } from "../../test/support/dump.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { anAdmission } from "../../test/support/test_admin.ts";
import { openTestOffice } from "../../test/support/test_office.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { openTestTrading, trade, value } from "../../test/support/test_market.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";

const SCRIPT = new URL("../../docs/examples/verify_evidence.py", import.meta.url).pathname;

interface Entry {
  id: number;
  who: string;
  action: string;
}

interface Verified {
  signed: number;
  findings: { finding: string; id: number }[];
}

test("an auditor with a dump, the published keys and heads names who did each act, and finds one changed byte", async (t) => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const [dump, keys, heads] = [file("dump"), file("keys.json"), file("heads")];
  const evidence = file("evidence.jsonl");
  const auditor = await runPostgreSQL({ durable: false });
  t.after(() => auditor.stop());
  const { listed, bytes } = await actAndDump({ dump, keys, heads, evidence });
  // The dumped server has gone; the auditor has another, and no key of the deployment.
  const at = (url: string) => ({ SABIKA_DATABASE_URL: url, SABIKA_DATA: folder });
  const verify = ["audit", "verify", "--keys", keys, "--heads", heads, "--json"];
  const url = await restoreDump(auditor, "whole", dump);
  const whole = await runOperator(verify, at(url));
  assertEquals(whole.code, 0, whole.stdout + whole.stderr);
  const { signed, findings } = JSON.parse(whole.stdout) as Verified;
  assertEquals(findings, []);
  const entries = await operatorOf(at(url))<Entry[]>("audit", "list", "--limit", "100");
  assertEquals(entries, listed);
  const acts = entries.slice(0, 5).map(({ who, action }) => `${who} ${action}`);
  assertEquals(acts, [
    "badr approval.approve",
    "amal funding.credit",
    "amal approval.request",
    "carim price.resume",
    "amal price.pause",
  ]);
  // Those five, and the registrations of the two passkeys.
  assertEquals(signed, 7);

  // What partners signed verifies with Python and openssl alone, though its key has ended since.
  const restored = file("restored.jsonl");
  await operatorOf(at(url))("evidence", "export", "--out", restored);
  const [before, after] = await Promise.all([readFacts(evidence), readFacts(restored)]);
  assertEquals([before.length, after], [4, before]);
  assertEquals(await mustRun("python3", [SCRIPT, restored]), "");

  const [approved, credited] = entries as [Entry, Entry];
  const cases = [
    ["actor", approved, "badr\tapproval.approve", 0],
    ["detail", credited, '"reference":"FT-DUMP"', 15],
    ["arguments", credited, '"reference":"FT-DUMP"', 15],
    ["signature", approved, "webauthn.", 120],
  ] as const;
  for (const [name, entry, before, change] of cases) {
    const changed = Buffer.from(bytes);
    const offset = placeOf(bytes, name, before) + change;
    changed[offset]! ^= 1;
    await writeFile(dump, changed);
    const other = await restoreDump(auditor, `changed_${name}`, dump);
    const found = await runOperator(verify, at(other));
    assertEquals(found.code, 1, name);
    const ids = (JSON.parse(found.stdout) as Verified).findings.map(({ id }) => id);
    assert(ids.includes(entry.id), `${name}: ${found.stdout}`);
  }
});

/** The facts of an export with their signed requests, without its head and its end. */
const readFacts = async (file: string) =>
  (await readFile(file, "utf8")).trim().split("\n").slice(1);

/** People act by passkey and by key; then the database is dumped, and its server ends. */
async function actAndDump(
  { dump, keys, heads, evidence }: Record<"dump" | "keys" | "heads" | "evidence", string>,
) {
  const production = await runPostgreSQL({ durable: false });
  const office = await openTestOffice({ database: { server: production.url } });
  const { admin } = office;
  try {
    assert((await admitPartner(admin, anAdmission("bank-one"))).ok);
    const { testDatabase } = admin;
    const { database } = testDatabase;
    const trading = await openTestTrading(testDatabase);
    const bank = await admitTestPartner(database, { cashHalalas: 1_000_000_00n });
    await trade(trading, bank, "buy");
    const withdrawal = await trading.withdraw(bank.withdraw(12_34n));
    assert((await trading.cancelWithdrawal(bank.cancel(value(withdrawal).id))).ok);
    const env = {
      SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"),
      SABIKA_MASTER_KEY: admin.masterKeyText,
    };
    await operatorOf(env)("evidence", "export", "--out", evidence);
    const { keys: signers } = JSON.parse((await readFile(evidence, "utf8")).split("\n")[0]!);
    const [[partner, [{ key_id }]]] = Object.entries(signers) as [[string, [{ key_id: string }]]];
    const retired = { partner, key_id, overlap_ms: 0 };
    assert((await performAct(admin, { name: "signing-key.retire", arguments: retired })).ok);
    const amal = await office.person("amal", ["administrator", "prices", "treasury"]);
    const badr = await office.person("badr", ["administrator", "treasury"]);
    const carim = await addPerson(admin, "carim", ["prices"], { breakGlass: "a test's people" });
    assertEquals((await amal.act("price.pause")).json.state, "done");
    assert((await carim.ask("price.resume")).ok);
    const credit = { partner: "bank-one", amount_sar: "250000", reference: "FT-DUMP" };
    const { json: { request } } = await amal.act("funding.credit", credit);
    const { json: { data: [asked] } } = await badr.get("/approvals");
    const done = await badr.act("approval.approve", { request, sha256: asked.sha256 });
    assertEquals(done.json.result?.state, "done", JSON.stringify(done.json));

    await writeFile(keys, (await runOperator(["operator", "key", "list", "--json"], env)).stdout);
    await writeFile(heads, (await runOperator(["audit", "head"], env)).stdout);
    const listed = await operatorOf(env)<Entry[]>("audit", "list", "--limit", "100");
    await dumpDatabase(production, testDatabase.url, dump);
    return { listed, bytes: await readFile(dump) };
  } finally {
    await office.close();
    await production.stop();
  }
}

/** The offset of a text among the dump's rows of the log, or of the signed acts. */
function placeOf(dump: Buffer, name: string, text: string): number {
  const isInLog = name === "actor" || name === "detail";
  const rows = dump.indexOf(isInLog ? "badr\tapproval.approve" : "approval.approve\t{");
  assert(rows > 0, `${name}: the dump has no such rows`);
  const found = name === "detail" || name === "arguments"
    ? dump.lastIndexOf(text, rows)
    : dump.indexOf(text, rows);
  assert(found > 0, `${name}: the dump does not have it`);
  return found;
}
