import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openRaw, type RawRequest } from "../../../test/support/raw_https.ts";
import { codeOf } from "../../../test/support/answers.ts";
import { read, signed } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { FAILURE_LIMIT } from "./failure_budget.ts";

// Fault F82: wrong tokens and signatures, by the hundred, with a partner's own certificate.

const service = await startTestService();
after(service.close);
const [bank, other] = service.partners;
const [token, otherToken] = [await service.token(bank), await service.token(other)];
// While the clock stands still no budget refills, however slow the machine is.
service.clock.stoppedAtMs = service.now();
const [line, otherLine] = [
  await openRaw(service.caller(bank)),
  await openRaw(service.caller(other)),
];
after(() => [line, otherLine].forEach((open) => open.close()));

const PROBE = "/v1/signed-probe";
const { burst } = FAILURE_LIMIT;
const failed = (what: string) =>
  service.metric(`sabika_failed_verifications_total{what="${what}"}`);
const atServiceTime = { timestampSeconds: Math.floor(service.now() / 1000) };
/** A probe that `caller` signed, with a token. */
const probe = (caller = bank, withToken = token) =>
  signed(caller, PROBE, withToken, "{}", atServiceTime);

/** Sends three times as many wrong requests as the budget has; returns how often each code came. */
async function flood(request: (n: number) => Promise<RawRequest> | RawRequest) {
  const codes: Record<string, number> = {};
  for (let n = 0; n < 3 * burst; n++) {
    const answer = await line.send(await request(n));
    const code = codeOf(answer);
    codes[code] = (codes[code] ?? 0) + 1;
    if (code === "too_many_failed_authentications") {
      assertEquals([answer.status, answer.headers.get("retry-after")], [429, "1"]);
      assertEquals(answer.headers.has("www-authenticate"), false);
    }
  }
  return codes;
}

test("wrong tokens with a valid kid are verified until their budget is spent (F82)", async () => {
  assertEquals(codeOf(await line.send(read("/v1/balances", token))), "ok");
  const [header, payload] = token.split(".");
  const junk = (n: number) => `${header}.${payload}.${n.toString(16).padStart(85, "0")}A`;
  assertEquals(await flood((n) => read("/v1/balances", junk(n))), {
    token_invalid: burst,
    too_many_failed_authentications: 2 * burst,
  });
  assertEquals(await failed("token"), burst);
  // A token from the cache is not verified again, and signatures have a separate budget.
  assertEquals(codeOf(await line.send(read("/v1/balances", token))), "ok");
  assertEquals(codeOf(await line.send(await probe())), "ok");
  // A new one is, with the same certificate, as soon as there is budget again.
  const renewed = await service.token(bank);
  const balances = read("/v1/balances", renewed);
  assertEquals(codeOf(await line.send(balances)), "too_many_failed_authentications");
  service.clock.stoppedAtMs! += 1_000 / FAILURE_LIMIT.perSecond;
  assertEquals(codeOf(await line.send(balances)), "ok");
});

test("wrong signatures are verified until their budget is spent; other partners go on (F82)", async () => {
  const wrong = await probe(other);
  assertEquals(await flood(() => wrong), {
    signature_invalid: burst,
    too_many_failed_authentications: 2 * burst,
  });
  assertEquals(await failed("signature"), burst);
  assertEquals(codeOf(await line.send(await probe())), "too_many_failed_authentications");
  assertEquals(codeOf(await line.send(read("/v1/balances", token))), "ok");
  assertEquals(codeOf(await otherLine.send(await probe(other, otherToken))), "ok");
  service.clock.stoppedAtMs! += 1_000 / FAILURE_LIMIT.perSecond;
  assertEquals(codeOf(await line.send(await probe())), "ok");
});
