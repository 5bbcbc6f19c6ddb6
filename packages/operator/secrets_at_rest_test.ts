import { test } from "node:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import type { Database } from "@sabika/database";
import {
  decodeBase64,
  decodePem,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@sabika/protocol";
import { sendRaw } from "../../test/support/raw_https.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { objectOf } from "../../test/support/answers.ts";
import { signed, write } from "../../test/support/service_requests.ts";
import { authorityKeys } from "../../test/support/test_admin.ts";
import { startTestService } from "../../test/support/test_service.ts";

/** Every row of every table, as a backup has them. */
async function dump({ sql }: Database): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  assert(tables.length > 20);
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await sql<{ row: string }[]>`select row_to_json(t)::text as row from ${
      sql(name)
    } t`;
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows.join("\n");
}

/** A secret in every encoding that it could appear in. */
function encodingsOf(secret: string | Uint8Array): string[] {
  const bytes = typeof secret === "string" ? encodeUtf8(secret) : secret;
  const plain = typeof secret === "string" ? [secret] : [];
  return [...plain, encodeHex(bytes), encodeBase64(bytes), encodeBase64Url(bytes)];
}

/** The names of the secrets that a text holds. */
function find(text: string, secrets: Record<string, string | Uint8Array>): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => encodingsOf(secret).some((encoding) => text.includes(encoding)))
    .map(([name]) => name);
}

/** The 32 bytes of an EC private key in PKCS#8: they follow a fixed prefix. */
function scalarOf(pkcs8: Uint8Array): Uint8Array {
  return pkcs8.slice(36, 68);
}

test("neither a database dump nor the logs hold any secret in use", async (t) => {
  const service = await startTestService();
  const folder = temporaryFolder();
  const file = join(folder, "master.key");
  t.after(() => service.close());
  await writeFile(file, service.admin.masterKeyText);
  const env = {
    SABIKA_DATABASE_URL: service.test.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY_FILE: file,
    SABIKA_DATA: folder,
  };
  const sabika = operatorOf(env);
  const [bank] = service.partners;

  // Some activity: tokens, trades, rotations, refusals, and an operator's mistakes.
  const token = await service.token(bank);
  const call = async (request: Parameters<typeof sendRaw>[1]) =>
    await sendRaw(service.caller(bank), request);
  const funded = await call(write("/sandbox/fund", token, '{"amount_sar":100000}'));
  assertEquals(funded.status, 201);
  const quote = await call(write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  const id = String(objectOf(quote).get("id"));
  const order = await signed(bank, "/v1/orders", token, `{"quote_id":"${id}"}`);
  assertEquals((await call(order)).status, 201);
  assertEquals((await call(order)).status, 401);
  const rotated = await sabika<Record<string, string>>("client-secret", "rotate", "bank-a");
  const hooked = await sabika<Record<string, string>>("webhook-secret", "rotate", "bank-a");
  await runOperator(["signing-key", "add", "bank-a", file], env);
  await writeFile(join(folder, "private.pem"), bank.kit.signingKeyPem!);
  const refused = await runOperator(
    ["signing-key", "add", "bank-a", join(folder, "private.pem")],
    env,
  );
  assertEquals(refused.code, 1);

  const authorities = await authorityKeys(service.admin);
  const pem = (text: string) => scalarOf(decodePem(text)!.bytes);
  const webhookBytes = (text: string) => decodeBase64(text.replace("whsec_", ""))!;
  const headers = Object.fromEntries(order.headers);
  const secrets = {
    "client secret": bank.kit.clientSecret,
    "new client secret": rotated.client_secret!,
    "webhook secret": webhookBytes(bank.kit.webhookSecret),
    "new webhook secret": webhookBytes(hooked.webhook_secret!),
    "client key": pem(bank.kit.clientKeyPem!),
    "signing key": pem(bank.kit.signingKeyPem!),
    "issuing authority's key": scalarOf(authorities.get("issuing")!),
    "master key": decodeBase64(service.admin.masterKeyText.trim().split(":")[1]!)!,
    token: token.split(".")[2]!,
    signature: headers["x-jws-signature"]!.split("..")[1]!,
  };
  const { database } = service.test;
  const logs = service.logged.join("\n") + refused.stderr + refused.stdout;
  // The signature is kept as evidence of the order (Decision D86), and signs nothing else.
  assertEquals(find(await dump(database), secrets), ["signature"]);
  assertEquals(find(logs, secrets), []);

  // The search finds each of them where it is planted, in every encoding.
  for (const [name, secret] of Object.entries(secrets)) {
    for (const planted of encodingsOf(secret)) {
      assertEquals(find(`x${planted}y`, { [name]: secret }), [name]);
    }
  }
  await database.sql`update partners set name = ${"Bank " + bank.kit.clientSecret}`;
  await database.sql`
      update webhook_secrets set sealed_secret = ${webhookBytes(bank.kit.webhookSecret)}
      where partner_id = ${bank.partnerId}`;
  const planted = ["client secret", "webhook secret", "signature"];
  assertEquals(find(await dump(database), secrets), planted);
});
