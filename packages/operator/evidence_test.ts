import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { readReceiptKeys } from "@sabika/identity/receipts";
import { verifyReceipt } from "@sabika/protocol";
import { createReceiptSigner, makeReceipts } from "@sabika/service/receipts";
import { byForce } from "../../test/support/by_force.ts";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { openTestTrading, trade, value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";

const SCRIPT = new URL("../../docs/examples/verify_evidence.py", import.meta.url).pathname;
const CLIENT = new URL("../../tools/sabika_client.mjs", import.meta.url).pathname;

/** Runs a program; returns its exit code and what it wrote. */
function run(program: string, args: readonly string[]): Promise<[code: number, text: string]> {
  return new Promise((resolve) =>
    execFile(program, args, (error, stdout) => resolve([Number(error?.code ?? 0), stdout]))
  );
}

test("exported evidence is judged without a database: by sabika, sabika-client, Python and openssl", async (t) => {
  const admin = await openTestAdmin();
  const { database } = admin;
  const file = join(temporaryFolder(), "evidence.jsonl");
  const env = envAtDatabase(admin, temporaryFolder());
  const sabika = operatorOf(env);
  const byClient = () => run("node", [CLIENT, "verify", "evidence", file]);
  const byPython = () => run("python3", [SCRIPT, file]);
  t.after(() => admin.close());
  const trading = await openTestTrading(admin.testDatabase);
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000_00n });
  const { id } = await trade(trading, bank);
  const withdrawal = value(await trading.withdraw(bank.withdraw(12_34n)));
  await trading.cancelWithdrawal(bank.cancel(withdrawal.id));
  // The key is rotated, and the partner trades no more.
  await byForce(database, "update signing_keys set valid_until = now()");

  const exported = await sabika("evidence", "export", "--out", file);
  assertEquals(exported, { file, facts: 3 });
  const head = JSON.parse((await readFile(file, "utf8")).split("\n")[0]!);
  const judged = await sabika<Record<string, unknown>>("evidence", "verify", file);
  assertEquals([judged.ok, judged.facts, judged.without_evidence], [true, 3, 0]);
  const [code, lines] = await byClient();
  assertEquals([code, lines.split("\n")[0]], [
    0,
    "genuine: 3 orders, withdrawals and cancellations",
  ]);
  const [client] = Object.keys(head.keys);
  assertEquals(lines.includes(head.keys[client!][0].key_id), true);
  assertEquals(await byPython(), [0, ""]);

  // The receipt waits for its signer, here the worker of a server.
  assertMatch((await runOperator(["order", "receipt", id], env)).stderr, /not signed yet/);
  const { secrets, now, testDatabase: { app } } = admin;
  await makeReceipts(app, createReceiptSigner({ control: database, secrets, now }));
  const { receipt } = await sabika<{ receipt: string }>("order", "receipt", id);
  assertEquals((await runOperator(["order", "receipt", id], env)).stdout, `${receipt}\n`);
  const keys = await readReceiptKeys(database.sql);
  assertEquals((await verifyReceipt({ jws: receipt, keys })).faults, []);

  // A body that was changed, in the database or in the file.
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace('\\"amount_sar\\":12.34', '\\"amount_sar\\":12.35'));
  const { code: failed, stdout } = await runOperator(["evidence", "verify", file], env);
  assertEquals(failed, 1);
  assertMatch(stdout, /withdrawal +wd_\S+ +wrong_body/);
  assertEquals((await byClient())[0], 1);
  assertMatch((await byPython())[1], /^withdrawal wd_\S+ of \S+: its signature does not fit\n$/);
  // An end that was cut off, an order without its evidence, and a file of something else.
  await writeFile(file, text.slice(0, text.lastIndexOf("{")));
  assertEquals((await runOperator(["evidence", "verify", file], env)).code, 2);
  await byForce(database, "delete from evidence where url like '%orders'");
  await sabika("evidence", "export", "--out", file, "--partner", client!);
  assertEquals((await byClient())[1].split("\n")[0], `missing: order ${id} of ${client}`);
  assertEquals((await runOperator(["evidence", "verify", SCRIPT], env)).code, 2);
});
