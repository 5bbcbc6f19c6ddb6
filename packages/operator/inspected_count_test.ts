import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { assertEquals, assertMatch } from "@std/assert";
import { ATTESTATION_KEYS } from "@sabika/protocol";
import { readAttestationKeys } from "@sabika/service/vault";
import { testRecord } from "../../test/secret_search/record.ts";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";

const CLIENT = new URL("../../tools/sabika_client.mjs", import.meta.url).pathname;
const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const run = promisify(execFile);

const admin = await openTestAdmin();
const env = envAtDatabase(admin, folder);
after(() => admin.close());

test("a count goes out as a file, is signed offline with a key of openssl, and comes back", async () => {
  const sabika = operatorOf(env);
  // The inspector's own machine.
  const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  await run("openssl", ["genpkey", ...curve, "-out", at("inspector.key")]);
  testRecord.secretsIn(await readFile(at("inspector.key"), "utf8"));
  const key = ["-in", at("inspector.key"), "-pubout", "-out", at("inspector.pub")];
  await run("openssl", ["pkey", ...key]);

  // The operator's.
  const add = ["attestation-key", "add", "inspector", "Gulf Inspection", at("inspector.pub")];
  const { key_id } = await sabika<{ key_id: string }>(...add);
  const again = await runOperator(add, env);
  assertMatch(again.stderr, new RegExp(`the key ${key_id} is known already`));
  const bar = ["--refiner", "R", "--fineness", "999.9", "--weight", "1000"];
  await sabika("vault", "bar", "add", "SA-1", ...bar);
  await sabika("vault", "bar", "add", "SA-2", ...bar);
  const { id } = await sabika<{ id: string }>("vault", "count", "record", "--bar", "SA-1");
  const { sha256 } = await sabika("vault", "count", "file", id, "--out", at("count.json"));
  const text = await readFile(at("count.json"), "utf8");
  assertEquals(createHash("sha256").update(text).digest("hex"), sha256);
  const printed = await runOperator(["vault", "count", "file", id], env);
  assertEquals(printed.stdout, `${text}\n`);
  const taken = await runOperator(["vault", "count", "file", id, "--out", at("count.json")], env);
  assertMatch(taken.stderr, /count\.json cannot be written \(EEXIST\)/);
  const none = await runOperator(["vault", "count", "file", "no-count"], env);
  assertMatch(none.stderr, /there is no vault count no-count/);

  // The inspector's again.
  const sign = ["sign", "count", at("count.json"), "--key", at("inspector.key")];
  const signed = await run("node", [CLIENT, ...sign, "--out", at("count.jws")]);
  assertMatch(signed.stdout, /missing +SA-2/);

  const inspect = ["vault", "count", "inspect", id, "--signature", at("count.jws")];
  const inspected = await sabika(...inspect);
  assertEquals(inspected, { id, inspected_by: "Gulf Inspection", key: key_id });
  const twice = await runOperator(inspect, env);
  assertMatch(twice.stderr, /an inspector signed the count .* before/);
  const { data: [listed] } = await sabika<{ data: { inspected_by: string }[] }>(
    "vault",
    "count",
    "list",
  );
  assertEquals(listed!.inspected_by, "Gulf Inspection");
  const shown = await sabika<{ inspection: { key: string; signature: string } }>(
    "vault",
    "count",
    "show",
    id,
  );
  const { inspection, ...figures } = shown;
  assertEquals(figures, { ...figures, inspected_by: "Gulf Inspection", sha256, text });
  assertEquals(inspection.key, key_id);
  const bar1 = await sabika<{ changes: unknown[] }>("vault", "bar", "show", "SA-1");
  assertEquals(bar1.changes.length, 1);

  // What the service gives out holds offline, also once the key has ended.
  assertEquals(await sabika("attestation-key", "end", key_id), { key_id, ended: true });
  const [ended] = await sabika<{ key_id: string; valid_until: string }[]>(
    "attestation-key",
    "list",
  );
  assertEquals([ended!.key_id, typeof ended!.valid_until], [key_id, "string"]);
  await writeFile(at("given.jws"), inspection.signature);
  const keys = await readAttestationKeys(admin.database.sql);
  await writeFile(at("keys.json"), ATTESTATION_KEYS.write(keys));
  const verify = ["verify", "count", at("given.jws"), "--keys", at("keys.json")];
  const verified = await run("node", [CLIENT, ...verify, "--count", at("count.json")]);
  assertMatch(verified.stdout, /^genuine: .*\nsigned by +Gulf Inspection\n/);
});
