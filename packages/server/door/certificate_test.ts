import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CertificateRecord, PartnerRecord } from "@sabika/service/partners";
import type { ReceivedCall } from "../call/received_call.ts";
import { oauthErrorReply } from "../routes/client_form.ts";
import { certificateCheck } from "./certificate.ts";

const HASH = "ab".repeat(32);
const certificate = {
  hashHex: HASH,
  validFromMs: 0,
  validUntilMs: 100_000,
  revokedAtMs: null,
} as CertificateRecord;
const partner = { partnerId: 1, status: "active" } as PartnerRecord;
const known = { partner, certificate };

/** A register that knows the certificate after so many refreshes, which it counts. */
function registerThatLearns(after: number, isAway = false) {
  let refreshes = 0;
  return {
    refreshes: () => refreshes,
    isFresh: () => true,
    byCertificate: (hash: string) => hash === HASH && refreshes >= after ? known : undefined,
    refresh: () => isAway ? Promise.reject(new Error("away")) : Promise.resolve(void refreshes++),
  };
}

const callOf = () =>
  ({ ok: true, peer: { certificateHash: HASH, address: "192.0.2.1" } }) as ReceivedCall;

async function codeOf(
  register: ReturnType<typeof registerThatLearns>,
  options?: { evenIfStale?: boolean },
): Promise<string> {
  const checked = await certificateCheck(register, () => 50_000, options)(callOf());
  return checked.ok === false ? checked.code : "ok";
}

test("a call without a client certificate is refused", async () => {
  const checked = await certificateCheck(registerThatLearns(0), () => 50_000)(
    { ok: true, peer: undefined } as ReceivedCall,
  );
  assertEquals(checked.ok || checked.code, "client_certificate_required");
});

test("a known certificate is judged without asking the database", async () => {
  const register = registerThatLearns(0);
  assertEquals([await codeOf(register), register.refreshes()], ["ok", 0]);
});

test("a partner admitted a moment ago is let in after a refresh of the register", async () => {
  assertEquals(await codeOf(registerThatLearns(1)), "ok");
  assertEquals(await codeOf(registerThatLearns(1), { evenIfStale: true }), "ok");
});

test("a certificate that nobody registered is refused after that refresh", async () => {
  assertEquals(await codeOf(registerThatLearns(2)), "client_certificate_unknown");
});

test("while the database is away nobody unknown is judged, except for /health", async () => {
  assertEquals(await codeOf(registerThatLearns(9, true)), "service_unavailable");
  assertEquals(
    await codeOf(registerThatLearns(9, true), { evenIfStale: true }),
    "client_certificate_unknown",
  );
  const refused = await certificateCheck(registerThatLearns(9, true), () => 50_000)(callOf());
  assert(!refused.ok && refused.detail?.startsWith("Nothing was carried out"));
  assertEquals(refused.retryAfterSeconds, 1);
});

test("/health does not wait for a snapshot that is too old to be renewed", async () => {
  const register = { ...registerThatLearns(0), isFresh: () => false };
  assertEquals([await codeOf(register, { evenIfStale: true }), register.refreshes()], ["ok", 0]);
});

test("a known certificate is judged if the snapshot is fresh after all, though its refresh failed", async () => {
  let asked = 0;
  const register = { ...registerThatLearns(0, true), isFresh: () => asked++ > 0 };
  assertEquals(await codeOf(register), "ok");
});

test("a certificate that was replaced or revoked is told so, at the token endpoint too", async () => {
  for (const change of [{ validUntilMs: 40_000 }, { revokedAtMs: 40_000 }]) {
    const found = { partner, certificate: { ...certificate, ...change } };
    const register = { ...registerThatLearns(0), byCertificate: () => found };
    const refused = await certificateCheck(register, () => 50_000)(callOf());
    assert(!refused.ok && refused.detail?.startsWith("This client certificate has ended"));
    assertStringIncludes(String(oauthErrorReply(refused).body), refused.detail!);
  }
});

test("a certificate that a stale snapshot shows is judged by the refreshed one", async () => {
  const ended = { partner, certificate: { ...certificate, revokedAtMs: 40_000 } };
  const suspended = { partner: { ...partner, status: "suspended" } as PartnerRecord, certificate };
  const cases = [
    [ended, "client_certificate_unknown"],
    [undefined, "client_certificate_unknown"],
    [suspended, "partner_suspended"],
    [known, "ok"],
  ] as const;
  for (const [refreshed, code] of cases) {
    const register = registerThatLearns(0);
    const stale = {
      ...register,
      isFresh: () => register.refreshes() > 0,
      byCertificate: () => register.refreshes() > 0 ? refreshed : known,
    };
    assertEquals(await codeOf(stale), code);
  }
});
