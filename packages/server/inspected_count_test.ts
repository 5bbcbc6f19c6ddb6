import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  ATTESTATION_KEYS,
  encodeUtf8,
  parseJson,
  RECEIPT_KEYS,
  sha256Hex,
  VAULT,
  verifyCount,
  verifyReceipt,
} from "@sabika/protocol";
import { findCount, listCounts } from "@sabika/service/vault";
import { actAs } from "../../test/support/acts.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { HEALTH, read, signed, write } from "../../test/support/service_requests.ts";
import { registerOutsider, signCount } from "../../test/support/test_outsider.ts";
import { startTestService } from "../../test/support/test_service.ts";

const DAY_MS = 86_400_000;
const KEYS = { ...HEALTH, target: "/.well-known/sabika-attestation-keys.json" };
const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const caller = service.caller(bank);
const token = await service.token(bank);
const get = (target: string) => sendRaw(caller, read(target, token));
const json = (body: string) => JSON.parse(body);

test("orders go on while an inspector is away, and once it has signed, that holds offline (D106)", async () => {
  const { admin } = service;
  const inspector = await registerOutsider(admin, "inspector");
  const dayBefore = { ...admin, now: () => Date.now() - DAY_MS };
  assert((await actAs(dayBefore, "vault.count", { bars: ["T1", "T2"] })).ok);
  const [counted] = await listCounts(admin.database.sql, { limit: 1 });
  await sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":1000}'));
  const quoted = await sendRaw(caller, write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  const body = `{"quote_id":"${json(quoted.body).id}"}`;
  const order = await sendRaw(caller, await signed(bank, "/v1/orders", token, body));
  assertEquals(order.status, 201, order.body);
  const keys = RECEIPT_KEYS.read(
    parseJson((await get("/.well-known/sabika-receipt-keys.json")).body),
  );
  const receipt = await get(`/v1/orders/${json(order.body).id}/receipt`);
  const { receipt: says } = await verifyReceipt({ jws: receipt.body, keys });
  const { last_count: before } = json((await get("/v1/vault")).body);
  assertEquals(says!.count!.atMs, Date.parse(before.counted_at));
  assertEquals([before.inspected, before.age_seconds >= 86_400], [null, true]);

  // It catches up: what it signs is the count of that day.
  const { text } = (await findCount(admin.database.sql, counted!.countId))!;
  const signature = await signCount(text!, inspector);
  const input = { count: counted!.countId, signature };
  assert((await actAs(admin, "vault.count.inspect", input)).ok);
  const { lastCount } = VAULT.read(parseJson((await get("/v1/vault")).body));
  assertEquals(lastCount!.inspected, { by: "Gulf Inspection", keyId: inspector.keyId, signature });
  assertEquals(lastCount!.sha256, await sha256Hex(encodeUtf8(text!)));
  const published = await sendRaw(caller, KEYS);
  const verified = await verifyCount({
    jws: lastCount!.inspected!.signature,
    keys: ATTESTATION_KEYS.read(parseJson(published.body)),
    text: text!,
  });
  assertEquals([verified.faults, verified.key!.holder], [[], "Gulf Inspection"]);
});
