/** Sessions, challenges and nonces to the millisecond; `sign_in_test.ts` has the pages around them. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import { decodeBase64Url } from "@sabika/protocol";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addIdentity, endIdentity, findIdentity } from "./identities.ts";
import { addOperator, addOperatorKey, addRole, setOperatorEnabled } from "./people.ts";
import {
  endSession,
  findSession,
  hashSessionToken,
  makeChallenge,
  openSession,
  spendOperatorNonce,
  takeChallenge,
} from "./sessions.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const { database: { sql }, random } = admin;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const startMs = admin.now();

const IDENTITY = { issuer: "https://login.bank.example", subject: "amal-1" };
await addOperator(admin, "amal", []);
await addIdentity(admin, "amal", IDENTITY);
const { operatorId, identityId } = (await findIdentity(sql, IDENTITY))!;
const keyIds = await Promise.all([1, 2].map(async () => {
  const added = await addOperatorKey(admin, "amal", (await makePersonsKey()).publicPem);
  if (!added.ok) throw new Error(added.detail);
  return added.value.keyId;
}));

const open = (nowMs = startMs) =>
  openSession({ sql, nowMs, random }, { operatorId, identityId, from: "192.0.2.1" });
const isFound = async (token: string, afterMs: number) =>
  await findSession({ sql, nowMs: startMs + afterMs }, token) !== undefined;

/** How many rows a table has. */
async function count(table: "operator_sessions" | "operator_challenges"): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
  return row!.n;
}

test("a session is its person's, with their roles of the moment", async () => {
  const { token, expiresAtMs } = await open();
  assertEquals(decodeBase64Url(token)?.length, 32);
  assertEquals(expiresAtMs, startMs + 8 * HOUR_MS);
  const found = { operatorId, name: "amal", keyId: null, signedInUntilMs: expiresAtMs };
  assertEquals(await findSession({ sql, nowMs: startMs }, token), { ...found, roles: [] });
  await addRole(admin, "amal", "auditor");
  const roles = ["auditor"] as const;
  assertEquals(await findSession({ sql, nowMs: startMs }, token), { ...found, roles: [...roles] });
  const byKey = await openSession({ sql, nowMs: startMs, random }, {
    operatorId,
    keyId: keyIds[0]!,
    from: "192.0.2.1",
  });
  assertEquals((await findSession({ sql, nowMs: startMs }, byKey.token))?.keyId, keyIds[0]);
  assertEquals(await isFound("another", 0), false);
});

test("a session ends after half an hour without use, which is noted once a minute", async () => {
  const idleMs = 30 * MINUTE_MS;
  const [unused, used, soon, noted] = [await open(), await open(), await open(), await open()]
    .map(({ token }) => token) as [string, string, string, string];
  assertEquals(await isFound(unused, idleMs), false);
  assertEquals(await isFound(used, idleMs - 1), true);
  assertEquals(await isFound(used, 2 * idleMs - 2), true);
  assertEquals(await isFound(soon, MINUTE_MS - 1), true);
  assertEquals(await isFound(soon, idleMs), false);
  assertEquals(await isFound(noted, MINUTE_MS), true);
  assertEquals(await isFound(noted, MINUTE_MS + idleMs - 1), true);
});

test("a session ends after eight hours, and is then removed with the next that opens", async () => {
  const { token } = await open();
  for (let minutes = 29; minutes < 480; minutes += 29) await isFound(token, minutes * MINUTE_MS);
  assertEquals(await isFound(token, 8 * HOUR_MS - 1), true);
  assertEquals(await isFound(token, 8 * HOUR_MS), false);
  const before = await count("operator_sessions");
  await open(startMs + 8 * HOUR_MS - 1);
  assertEquals(await count("operator_sessions"), before + 1);
  await open(startMs + 8 * HOUR_MS);
  assertEquals(await count("operator_sessions"), 2);
});

test("a session ends by its token or the token's hash, and with its person or identity", async () => {
  const [first, second, third] = [await open(), await open(), await open()]
    .map(({ token }) => token) as [string, string, string];
  const found = async () =>
    await Promise.all([first, second, third].map((token) => isFound(token, 0)));
  await endSession(sql, first);
  assertEquals(await found(), [false, true, true]);
  await endSession(sql, await hashSessionToken(second));
  assertEquals(await found(), [false, false, true]);
  await setOperatorEnabled(admin, "amal", false);
  assertEquals(await found(), [false, false, false]);
  await setOperatorEnabled(admin, "amal", true);
  assertEquals(await found(), [false, false, true]);
  await endIdentity(admin, "amal", IDENTITY);
  assertEquals(await found(), [false, false, false]);
});

test("a challenge is answered once, within five minutes, and removed with the next that is made", async () => {
  const make = (afterMs = 0) => makeChallenge({ sql, nowMs: startMs + afterMs, random });
  const take = (challenge: Uint8Array, afterMs: number) =>
    takeChallenge({ sql, nowMs: startMs + afterMs }, challenge);
  const [first, second] = [await make(), await make()];
  assertEquals(first.length, 32);
  assertEquals(await take(first, 5 * MINUTE_MS - 1), true);
  assertEquals(await take(first, 0), false);
  assertEquals(await take(random(32), 0), false);
  assertEquals(await take(second, 5 * MINUTE_MS), false);
  await make();
  await make(5 * MINUTE_MS - 1);
  assertEquals(await count("operator_challenges"), 2);
  await make(5 * MINUTE_MS);
  assertEquals(await count("operator_challenges"), 2);
});

test("a nonce is spent once by each key, for eleven minutes", async () => {
  const spend = (afterMs = 0, keyId = keyIds[0]!) =>
    spendOperatorNonce({ sql, nowMs: startMs + afterMs }, { keyId, nonce: "n".repeat(16) });
  assert(await spend());
  assertEquals([await spend(), await spend(0, keyIds[1])], [false, true]);
  assertEquals(await spend(11 * MINUTE_MS - 1), false);
  assertEquals(await spend(11 * MINUTE_MS), true);
});
