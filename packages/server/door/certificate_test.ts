import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { CertificateRecord, PartnerRecord } from "@sabika/core/partners";
import type { Call } from "../call.ts";
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

/** A register that knows the certificate from its n-th look on, and counts its looks. */
function registerThatLearns(fromLook: number, isAway = false) {
  let looks = 0;
  return {
    looks: () => looks,
    isFresh: () => true,
    byCertificate: (hash: string) => hash === HASH && looks >= fromLook ? known : undefined,
    refresh: () => isAway ? Promise.reject(new Error("away")) : Promise.resolve(void looks++),
  };
}

async function codeOf(
  register: ReturnType<typeof registerThatLearns>,
  options?: { evenIfStale?: boolean },
): Promise<string> {
  const call = { peer: { certificateHash: HASH, address: "192.0.2.1" } } as Call;
  return (await certificateCheck(register, () => 50_000, options)(call))?.code ?? "ok";
}

test("a certificate that is known is judged without a look at the database", async () => {
  const register = registerThatLearns(0);
  assertEquals([await codeOf(register), register.looks()], ["ok", 0]);
});

test("a partner that was admitted a moment ago is let in, by a look at the database", async () => {
  assertEquals(await codeOf(registerThatLearns(1)), "ok");
  assertEquals(await codeOf(registerThatLearns(1), { evenIfStale: true }), "ok");
});

test("a certificate that nobody registered is refused after that look", async () => {
  assertEquals(await codeOf(registerThatLearns(2)), "client_certificate_unknown");
});

test("while the database is away nobody unknown is judged, but for /health", async () => {
  assertEquals(await codeOf(registerThatLearns(9, true)), "service_unavailable");
  assertEquals(
    await codeOf(registerThatLearns(9, true), { evenIfStale: true }),
    "client_certificate_unknown",
  );
});
