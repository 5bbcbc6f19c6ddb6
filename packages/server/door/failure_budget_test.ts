import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type Refusal, refuse } from "@sabika/protocol";
import { FAILURE_LIMIT, FailureBudget } from "./failure_budget.ts";

const { burst, perSecond } = FAILURE_LIMIT;
const [HASH, OTHER_HASH] = ["ab".repeat(32), "cd".repeat(32)];

/** A budget at a clock that stands still, and what was verified on it. */
function budget() {
  const seen = { nowMs: 0, verified: 0, failed: 0 };
  const failures = new FailureBudget("signature", () => seen.nowMs, () => seen.failed++);
  const spend = async (isRight: boolean, certificate = HASH) => {
    const checked: { ok: true } | Refusal = await failures.spend(certificate, async () => {
      seen.verified++;
      await null;
      return isRight ? { ok: true as const } : refuse("signature_invalid");
    });
    return checked.ok ? "ok" : checked.code;
  };
  const all = (count: number, isRight: boolean) =>
    Promise.all(Array.from({ length: count }, () => spend(isRight)));
  return { seen, spend, all, failures };
}

const count = (codes: readonly string[], code: string) =>
  codes.filter((found) => found === code).length;

test("FailureBudget verifies no more wrong signatures than the budget allows, even all at once", async () => {
  const { seen, all, failures } = budget();
  const codes = await all(5 * burst, false);
  assertEquals(count(codes, "signature_invalid"), burst);
  assertEquals(count(codes, "too_many_failed_authentications"), 4 * burst);
  assertEquals([seen.verified, seen.failed], [burst, burst]);
  const refused = await failures.spend(HASH, () => Promise.reject(new Error("was verified")));
  assertEquals(refused.ok ? 0 : refused.retryAfterSeconds, 1);
});

test("FailureBudget refuses no correct signature, however many come at once", async () => {
  const { seen, all } = budget();
  assertEquals(new Set(await all(20 * burst, true)), new Set(["ok"]));
  assertEquals([seen.verified, seen.failed], [20 * burst, 0]);
});

test("FailureBudget passes correct signatures beside wrong ones until those have spent it", async () => {
  const { seen, spend, all } = budget();
  await all(burst - 1, false);
  const mixed = await Promise.all(Array.from({ length: burst }, (_, n) => spend(n !== burst - 1)));
  assertEquals([count(mixed, "ok"), mixed.at(-1)], [burst - 1, "signature_invalid"]);
  assertEquals(await spend(true), "too_many_failed_authentications");
  assertEquals(await spend(true, OTHER_HASH), "ok");
  seen.nowMs += 1_000 / perSecond;
  assertEquals(await all(3, true), ["ok", "ok", "ok"]);
});

test("FailureBudget lets one that waits go on with each refund, and refuses it when the last has failed", async () => {
  const { failures, spend, all } = budget();
  await all(burst - 2, false);
  let finish = () => {};
  const underWay = failures.spend(HASH, async () => {
    await new Promise<void>((resolve) => finish = resolve);
    return refuse("signature_invalid");
  });
  // The third waits for the refund of the second, not for the first.
  assertEquals(await Promise.all([spend(true), spend(true)]), ["ok", "ok"]);
  finish();
  await underWay;
  assertEquals(await Promise.all([spend(false), spend(true)]), [
    "signature_invalid",
    "too_many_failed_authentications",
  ]);
});

test("FailureBudget charges nothing for a verification that could not be done", async () => {
  const { failures, spend } = budget();
  for (let n = 0; n < 2 * burst; n++) {
    await failures.spend(HASH, () => Promise.reject(new Error("away"))).catch(() => {});
  }
  assertEquals(await spend(true), "ok");
});
