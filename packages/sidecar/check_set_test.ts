import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { checkSet } from "./check_set.ts";
import type { SecretSet } from "./secret_set.ts";
import { type Authority, createAuthority, selfSigned } from "../../test/support/edge/authority.ts";

const DAY_MS = 86_400_000;

const authority = await createAuthority("Test CA");
const server = await authority.issueServer();
const good: SecretSet = {
  serverCertificate: server.certificate,
  serverKey: server.key,
  partnerCa: authority.pem,
  partnerCrl: await authority.crl(["0a"]),
  edgeSecret: "a".repeat(32),
};
const rules = { nowMs: Date.now(), certificateDays: 3, crlHours: 1 };

test("checkSet() finds nothing wrong with a good set, with a chain and two CAs too", async () => {
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

const issued = async (choices: Parameters<Authority["issueServer"]>[0]) => {
  const { certificate, key } = await authority.issueServer(choices);
  return { serverCertificate: certificate, serverKey: key };
};
const garbled = (pem: string) => pem.replace(/[A-Za-z0-9]{20}/, "AAAA");
type Change = Partial<SecretSet>;
const bad: [name: string, change: () => Change | Promise<Change>, reason: string][] = [
  ["an empty server certificate", () => ({ serverCertificate: "" }), "certificate: not a PEM"],
  [
    "a garbled server certificate",
    () => ({ serverCertificate: garbled(good.serverCertificate) }),
    "server certificate: not a PEM",
  ],
  [
    "another certificate's key",
    async () => ({ serverKey: (await authority.issueServer()).key }),
    "server key: not the key of the",
  ],
  ["a key that is not PEM", () => ({ serverKey: "nonsense" }), "server key"],
  [
    "a certificate near its end",
    () => issued({ notAfterMs: Date.now() + 2 * DAY_MS }),
    "too soon",
  ],
  [
    "a certificate that is not valid yet",
    () => issued({ notBeforeMs: Date.now() + DAY_MS }),
    "not valid yet",
  ],
  ["a CA's certificate as the server's", async () => {
    const { certificate, key } = await authority.asCredential();
    return { serverCertificate: certificate, serverKey: key };
  }, "it is a CA's"],
  [
    "a chain whose certificates do not sign one another",
    async () => ({
      serverCertificate: good.serverCertificate + (await createAuthority("Test CA")).pem,
    }),
    "certificate 1 is not signed by certificate 2",
  ],
  [
    "a partner CA that is no CA",
    async () => ({ partnerCa: (await selfSigned("nobody")).certificate }),
    "is not a CA",
  ],
  ["no CA", () => ({ partnerCa: "" }), "partner CA: not a PEM"],
  ["an empty revocation list", () => ({ partnerCrl: "" }), "would switch revocation off"],
  ["a garbled revocation list", () => ({ partnerCrl: garbled(good.partnerCrl) }), "partner CRL"],
  [
    "a revocation list of another CA with the same name",
    async () => ({ partnerCrl: await (await createAuthority("Test CA")).crl() }),
    "none is signed by CN=Test CA",
  ],
  [
    "a list that no CA signed",
    async () => ({
      partnerCrl: good.partnerCrl + "\n" + await (await createAuthority("Other")).crl(),
    }),
    "one is signed by none of the CAs",
  ],
  [
    "a second CA without a list",
    async () => ({ partnerCa: `${good.partnerCa}\n${(await createAuthority("Second")).pem}` }),
    "none is signed by CN=Second",
  ],
  [
    "a revocation list near its end",
    async () => ({ partnerCrl: await authority.crl([], Date.now() + 30 * 60_000) }),
    "too soon",
  ],
  ...["first", "last"].map((place) =>
    [`two CAs, of whose lists the ${place} is near its end`, async () => {
      const second = await createAuthority("Second CA");
      const lists = [await second.crl([], Date.now() + 30 * 60_000), good.partnerCrl];
      if (place === "last") lists.reverse();
      return { partnerCa: good.partnerCa + "\n" + second.pem, partnerCrl: lists.join("\n") };
    }, "too soon"] as typeof bad[number]
  ),
  ...["a".repeat(31), `${"a".repeat(40)}\nb`, "a b".repeat(20)].map((edgeSecret) =>
    [
      `the edge secret ${JSON.stringify(edgeSecret)}`,
      () => ({ edgeSecret }),
      "edge secret",
    ] as typeof bad[number]
  ),
];
for (const [name, change, reason] of bad) {
  test(`checkSet() refuses ${name}`, async () => {
    const problems = await checkSet({ ...good, ...await change() }, rules);
    assertStringIncludes(problems.join("; "), reason);
  });
}

test("checkSet() puts no secret into its reasons", async () => {
  const problems = await checkSet({ ...good, edgeSecret: "s3cret", serverKey: "k3y" }, rules);
  assertEquals(/s3cret|k3y/.test(problems.join()), false);
});
