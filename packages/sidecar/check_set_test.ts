import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { before, describe, it } from "node:test";
import { checkSet } from "./check_set.ts";
import type { SecretSet } from "./secret_set.ts";
import { type Authority, createAuthority, selfSigned } from "../../test/support/edge/authority.ts";

const DAY_MS = 86_400_000;

describe("checkSet()", () => {
  let authority: Authority;
  let good: SecretSet;
  let rules: { nowMs: number; certificateDays: number; crlHours: number };
  before(async () => {
    authority = await createAuthority("Test CA");
    const server = await authority.issueServer();
    good = {
      serverCertificate: server.certificate,
      serverKey: server.key,
      partnerCa: authority.pem,
      partnerCrl: await authority.crl(["0a"]),
      edgeSecret: "a".repeat(32),
    };
    rules = { nowMs: Date.now(), certificateDays: 3, crlHours: 1 };
  });

  it("finds nothing wrong with a good set, with a chain and two CAs too", async () => {
    assertEquals(await checkSet(good, rules), []);
    const second = await createAuthority("Second CA");
    const both = {
      ...good,
      serverCertificate: good.serverCertificate + "\n" + authority.pem,
      partnerCa: `${authority.pem}\n${second.pem}`,
      partnerCrl: `${await second.crl()}\n${good.partnerCrl}`,
    };
    assertEquals(await checkSet(both, rules), []);
  });

  const bad: Record<string, [() => Promise<Partial<SecretSet>>, string]> = {
    "an empty server certificate": [
      () => Promise.resolve({ serverCertificate: "" }),
      "server certificate: not a PEM",
    ],
    "a garbled server certificate": [
      () =>
        Promise.resolve({
          serverCertificate: good.serverCertificate.replace(/[A-Za-z0-9]{20}/, "AAAA"),
        }),
      "server certificate: not a PEM",
    ],
    "another certificate's key": [
      async () => ({ serverKey: (await authority.issueServer()).key }),
      "server key: not the PKCS#8 key",
    ],
    "a key that is no key": [() => Promise.resolve({ serverKey: "nonsense" }), "server key"],
    "a certificate near its end": [async () => {
      const server = await authority.issueServer({ notAfterMs: Date.now() + 2 * DAY_MS });
      return { serverCertificate: server.certificate, serverKey: server.key };
    }, "too soon"],
    "a certificate that is not valid yet": [async () => {
      const server = await authority.issueServer({ notBeforeMs: Date.now() + DAY_MS });
      return { serverCertificate: server.certificate, serverKey: server.key };
    }, "not valid yet"],
    "a CA's certificate as the server's": [async () => {
      const { certificate, key } = await authority.asCredential();
      return { serverCertificate: certificate, serverKey: key };
    }, "it is a CA's"],
    "a chain that does not hang together": [
      async () => ({
        serverCertificate: good.serverCertificate + (await createAuthority("Test CA")).pem,
      }),
      "certificate 1 is not signed by certificate 2",
    ],
    "a CA that is none": [async () => {
      const { certificate } = await selfSigned("nobody");
      return { partnerCa: certificate };
    }, "is not a CA"],
    "no CA": [() => Promise.resolve({ partnerCa: "" }), "partner CA: not a PEM"],
    "an empty revocation list": [
      () => Promise.resolve({ partnerCrl: "" }),
      "would switch revocation off",
    ],
    "a garbled revocation list": [
      () => Promise.resolve({ partnerCrl: good.partnerCrl.replace(/[A-Za-z0-9]{20}/, "AAAA") }),
      "partner CRL",
    ],
    "a revocation list of another CA with the same name": [
      async () => ({ partnerCrl: await (await createAuthority("Test CA")).crl() }),
      "none is signed by CN=Test CA",
    ],
    "one list too many": [
      async () => ({
        partnerCrl: good.partnerCrl + "\n" + await (await createAuthority("Other")).crl(),
      }),
      "one is signed by none of the CAs",
    ],
    "a second CA without a list": [
      async () => ({ partnerCa: `${good.partnerCa}\n${(await createAuthority("Second")).pem}` }),
      "none is signed by CN=Second",
    ],
    "a revocation list near its end": [
      async () => ({ partnerCrl: await authority.crl([], Date.now() + 30 * 60_000) }),
      "too soon",
    ],
    "a short edge secret": [() => Promise.resolve({ edgeSecret: "a".repeat(31) }), "edge secret"],
    "an edge secret of two lines": [
      () => Promise.resolve({ edgeSecret: `${"a".repeat(40)}\nb` }),
      "edge secret",
    ],
    "an edge secret with a blank": [
      () => Promise.resolve({ edgeSecret: "a b".repeat(20) }),
      "edge secret",
    ],
  };
  for (const [name, [change, reason]] of Object.entries(bad)) {
    it(`refuses ${name}`, async () => {
      const problems = await checkSet({ ...good, ...await change() }, rules);
      assert(problems.length > 0);
      assertStringIncludes(problems.join("; "), reason);
    });
  }

  it("says no secret in its reasons", async () => {
    const problems = await checkSet({ ...good, edgeSecret: "s3cret", serverKey: "k3y" }, rules);
    assertEquals(/s3cret|k3y/.test(problems.join()), false);
  });
});
