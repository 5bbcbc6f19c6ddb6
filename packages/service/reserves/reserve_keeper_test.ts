import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { actsOn } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import { openTestSecrets } from "../../../test/support/test_admin.ts";
import { signAttestation } from "../../../test/support/test_attestation.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { ensureReceiptKey, readReceiptKeys } from "@sabika/identity/receipts";
import { makePersonsKey } from "@sabika/identity/signatures";
import { parseJson, RESERVE_SIGNATURE, verifyReserve } from "@sabika/protocol";
import { createReceiptSigner, SignerAwayError } from "../receipts/mod.ts";
import { readAttestationKeys } from "../vault/mod.ts";
import { createReserveKeeper, findReserve, openReserve, signReserves } from "./mod.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { database, app, trading, close } = await openTestMarket();
after(close);
const act = actsOn(database);
const bank = await admitTestPartner(database, { cashHalalas: 500_000_00n });
await byForce(
  database,
  "update transfers set posted_at = posted_at - interval '9 days'",
  "update pool_versions set made_at = made_at - interval '9 days'",
);
/** Days in Riyadh that have ended, and when they did. */
const DAYS = [5, 4, 3, 2].map((ago) =>
  new Date(Date.now() - ago * DAY_MS + 3 * HOUR_MS).toISOString().slice(0, 10)
) as [string, string, string, string];
const noonAfter = (day: string) => Date.parse(day) + DAY_MS + 9 * HOUR_MS;

/** The signer, which can be away, and the days that it was asked to sign. */
const signer = await openSigner();
const asked: string[] = [];
let isAway = false;
/** How often control was asked something. */
let queries = 0;
const counted = new Proxy(app.sql, {
  apply: (target, self, args) => (queries++, Reflect.apply(target, self, args)),
});
const control = { sql: counted };
const keep = createReserveKeeper({
  cells: () => ({ control, cells: [control], random }),
  sign: () =>
    signReserves(control, {
      signText(typ, text) {
        if (isAway) throw new SignerAwayError("away");
        asked.push(RESERVE_SIGNATURE.read(parseJson(text)).day);
        return signer.signText(typ, text);
      },
    }),
});

async function openSigner() {
  const secrets = await openTestSecrets(database);
  await ensureReceiptKey({ database, secrets, nowMs: Date.now() });
  return createReceiptSigner({ control: app, secrets, now: Date.now });
}

/** Of each day that has a reserve, whether operator and auditor signed it. */
async function signatures(): Promise<string[]> {
  const found = await Promise.all(DAYS.map((day) => findReserve(app.sql, day)));
  return found.flatMap((one) =>
    one === undefined ? [] : `${one.signature !== null} ${one.isAttested}`
  );
}

test("while no day is due the database is asked nothing", async () => {
  const [first, second] = DAYS;
  await keep(noonAfter(first));
  assertEquals([asked, await signatures()], [[first], ["true false"]]);
  queries = 0;
  const dueMs = noonAfter(second) - 11 * HOUR_MS;
  for (let nowMs = noonAfter(first); nowMs < dueMs; nowMs += HOUR_MS / 6) await keep(nowMs);
  assertEquals(queries, 0);
  // Now it is asked whether the bank's balance was entered.
  await keep(dueMs);
  assert(queries > 0);
  assertEquals((await signatures()).length, 1);
});

test("while the signer is away for a day, orders go on and reserves are unsigned; it catches up, in order", async () => {
  const [, second, third] = DAYS;
  isAway = true;
  await assertRejects(() => keep(noonAfter(second)), SignerAwayError);
  await trade(trading, bank);
  await assertRejects(() => keep(noonAfter(second) + HOUR_MS), SignerAwayError);
  await assertRejects(() => keep(noonAfter(third)), SignerAwayError);
  await trade(trading, bank);
  assertEquals(await signatures(), ["true false", "false false", "false false"]);
  isAway = false;
  await keep(noonAfter(third) + HOUR_MS);
  assertEquals(asked, DAYS.slice(0, 3));
  assertEquals(await signatures(), ["true false", "true false", "true false"]);
  queries = 0;
  await keep(noonAfter(third) + 2 * HOUR_MS);
  assertEquals(queries, 0);
});

test("a reserve is made once the bank's balance was entered, also by who has looked for it before", async () => {
  const [day] = DAYS.slice(-1);
  const closedMs = noonAfter(day!) - 11 * HOUR_MS;
  await keep(closedMs);
  assertEquals((await signatures()).length, 3);
  await byForce(database, `insert into reserve_banks (day, amount_halalas) values ('${day}', 1)`);
  await keep(closedMs + HOUR_MS / 6);
  assertEquals((await signatures()).length, 4);
});

test("while the auditor is away, orders go on and reserves are unattested; it catches up, in order", async () => {
  const { privatePem, publicPem } = await makePersonsKey();
  const key = { role: "auditor", holder: "Najd Auditors", key: publicPem } as const;
  const added = await act("attestation-key.add", key);
  assert(added.ok);
  const auditor = { keyId: added.value.keyId, privatePem };
  const attest = async (day: string) => {
    const signature = await signAttestation({ database }, day, auditor);
    assert((await act("reserve.attest", { day, signature })).ok);
  };
  await attest(DAYS[0]);
  await trade(trading, bank);
  await keep(noonAfter(DAYS[3]));
  assertEquals(await signatures(), ["true true", "true false", "true false", "true false"]);
  for (const day of DAYS.slice(1)) await attest(day);
  const keys = await readReceiptKeys(database.sql);
  const attestationKeys = await readAttestationKeys(database.sql);
  let previousText: string | undefined;
  for (const day of DAYS) {
    const { text, hash, signature, attestation } = (await findReserve(app.sql, day))!;
    const { faults, attestedBy } = await verifyReserve({
      text,
      hash,
      signature: signature!,
      keys,
      attestation: attestation!,
      attestationKeys,
      previousText,
      openings: await openReserve(database.sql, { day, who: "auditor", from: "a test" }),
    });
    assertEquals([faults, attestedBy?.holder], [[], "Najd Auditors"], day);
    previousText = text;
  }
});
