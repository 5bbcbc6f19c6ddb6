import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { updatePartner } from "@sabika/office/partners";
import { codeOf, objectOf } from "../support/answers.ts";
import { openRaw, type RawRequest } from "../support/raw_https.ts";
import { read, signed, tokenRequest, write } from "../support/service_requests.ts";
import { sized } from "../support/sized.ts";
import { startTestService } from "../support/test_service.ts";
import { compareTimes, REAL_T } from "../support/compare_times.ts";

// The time of an answer reveals neither how much of a guessed secret is right nor whether an id of another
// partner exists.

const service = await startTestService();
after(service.close);
const [owner, stranger] = service.partners;
const limit = { perSecond: 100_000, burst: 1_000_000 };
await updatePartner(service.admin, stranger.clientId, {
  rateLimits: { token: limit, read: limit, signed: limit, nonces: limit },
});
await service.refresh();
const [owning, asking] = [
  await openRaw(service.caller(owner)),
  await openRaw(service.caller(stranger)),
];
after(() => [owning, asking].forEach((connection) => connection.close()));

const ownToken = await service.token(owner);
const quote = async () => {
  const body = '{"side":"buy","gold_grams":1}';
  return objectOf(await owning.send(write("/v1/quotes", ownToken, body))).get("id") as string;
};
await owning.send(write("/sandbox/fund", ownToken, '{"amount_sar":10000}'));
const [used, open] = [await quote(), await quote()];
const order = objectOf(
  await owning.send(await signed(owner, "/v1/orders", ownToken, `{"quote_id":"${used}"}`)),
).get("id") as string;

/** How often the token is renewed: it is valid for ten minutes, and with `--long` the test takes longer. */
const RENEWED_MS = 300_000;
let token = "";
let renewMs = 0;
async function renewToken(): Promise<void> {
  if (Date.now() < renewMs) return;
  token = await service.token(stranger);
  renewMs = Date.now() + RENEWED_MS;
}

/** Returns an id that no resource has, with the time of this id. */
const unknownId = (id: string) => id.slice(0, -4) + (id.endsWith("0000") ? "1111" : "0000");

interface Call {
  readonly id: string;
  readonly code: string;
  readonly ask: (id: string) => Promise<RawRequest> | RawRequest;
}

const CALLS: Readonly<Record<string, Call>> = {
  "an order is read": {
    id: order,
    code: "not_found",
    ask: (id) => read(`/v1/orders/${id}`, token),
  },
  "a quote is read": {
    id: open,
    code: "quote_not_found",
    ask: (id) => read(`/v1/quotes/${id}`, token),
  },
  "a quote is ordered": {
    id: open,
    code: "quote_not_found",
    ask: (id) => signed(stranger, "/v1/orders", token, `{"quote_id":"${id}"}`),
  },
};

for (const [name, { id, code, ask }] of Object.entries(CALLS)) {
  test(`another partner's id takes as long as an unknown one when ${name} (F57)`, async (t) => {
    const timed = (wantedId: string) => async () => {
      await renewToken();
      const request = await ask(wantedId);
      const startedMs = performance.now();
      const answer = await asking.send(request);
      const ms = performance.now() - startedMs;
      assertEquals([answer.status, codeOf(answer)], [404, code]);
      return ms;
    };
    const [, other] = await compareTimes([
      { name: "nobody's", ask: timed(unknownId(id)) },
      { name: "another's", ask: timed(id) },
    ], sized(400, 20_000));
    t.diagnostic(`t ${other!.t.toFixed(2)}, mean ${(other!.meanMs * 1_000).toFixed()} µs`);
    assert(Math.abs(other!.t) < REAL_T, `t is ${other!.t}`);
  });
}

test("a guessed client secret takes equally long, however much of it is right (F56)", async (t) => {
  const { clientId, clientSecret } = stranger.kit;
  const wrong = [...clientSecret].map((letter) => letter === "A" ? "B" : "A").join("");
  const half = clientSecret.length / 2;
  const guesses = {
    "nothing is right": [clientId, wrong],
    "the first half is right": [clientId, clientSecret.slice(0, half) + wrong.slice(half)],
    "all but the last is right": [clientId, clientSecret.slice(0, -1) + wrong.slice(-1)],
    "there is no such client": ["bank-unknown", wrong],
  } as const;
  const timed = (id: string, secret: string) => async () => {
    const startedMs = performance.now();
    const answer = await asking.send(tokenRequest({ kit: { clientId: id, clientSecret: secret } }));
    assertEquals(answer.status, 401);
    return performance.now() - startedMs;
  };
  const found = await compareTimes(
    Object.entries(guesses).map(([name, [id, secret]]) => ({ name, ask: timed(id, secret) })),
    sized(400, 20_000),
  );
  for (const { name, t: distance, meanMs } of found) {
    t.diagnostic(`${name}: t ${distance.toFixed(2)}, mean ${(meanMs * 1_000).toFixed()} µs`);
    assert(Math.abs(distance) < REAL_T, `${name}: t is ${distance}`);
  }
});
