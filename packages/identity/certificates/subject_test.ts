import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/any_text.ts";
import { random } from "../../../test/support/random.ts";
import { ES256, generateP256 } from "../keys/p256.ts";
import { type Authority, createAuthority } from "./authority.ts";
import { issueClientCertificate } from "./issue.ts";
import { readSigningRequest } from "./signing_request.ts";
import { type JsonNameParams, Name, Pkcs10CertificateRequestGenerator } from "./x509.ts";

const nowMs = Date.now();
const keys = await generateP256();
const issuer = await createAuthority({ environment: "sandbox", name: "issuing", nowMs, random });

/** A request whose subject is written as it is given, whatever it holds. */
async function request(...subject: JsonNameParams): Promise<string> {
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: new Name([...subject, { CN: [{ utf8String: "bank-one" }] }]),
    keys,
    signingAlgorithm: ES256,
  });
  return made.toString("pem");
}

async function issueFor(organisation: string, by: Authority = issuer) {
  const options = { issuer: by, environment: "sandbox", clientId: "bank-one" } as const;
  return await issueClientCertificate({
    ...options,
    organisation,
    publicKey: keys.publicKey,
    nowMs,
    random,
  });
}

/** The organisation that openssl reads; it throws when openssl cannot read the certificate. */
function organisationByOpenssl(pem: string): string | undefined {
  const args = ["x509", "-noout", "-subject", "-nameopt", "utf8,sname,sep_multiline"];
  const text = execFileSync("openssl", args, { input: pem, encoding: "utf8", stdio: "pipe" });
  return /^ *O=([^\n]*)$/m.exec(text)?.[1]; // A dot does not match U+2028.
}

const HOSTILE = [
  "#0c0f1b5b33316d5061796f75743a20301b5b306d",
  "#0500",
  "#00",
  "\\0a",
  "A\\0aB",
  '"quoted"',
  'Bank "One"',
  "\u001b[31mred",
  "A\nB",
  "A\u0000B",
  "A\u009b31m",
  "A\u202eB",
  "A\u200bB",
  "A\ufeffB",
  "-leading",
  "",
  "A".repeat(65),
  "𐒃".repeat(65),
];
const GOOD = [
  "Bank One",
  "Bank, Inc. =x",
  "AT&T (Riyadh) 1/2 + 3",
  "مصرف الراجحي",
  "Société Générale – Zürich",
  "Moody’s",
  "銀行",
  "𐒃".repeat(64),
];

test("organisations that hold commands for terminals, DER or too much are refused with the rule", async () => {
  for (const organisation of HOSTILE) {
    const read = await readSigningRequest(
      await request({ O: [{ utf8String: organisation }] }),
      "bank-one",
    );
    assertEquals(read.ok ? `accepted ${organisation}` : read.code, "invalid_csr");
    assertStringIncludes(read.ok ? "" : read.detail, "organisation (O)");
  }
});

test("names of companies in any script are certified as they are, and openssl reads them", async () => {
  for (const organisation of GOOD) {
    const read = await readSigningRequest(
      await request({ O: [{ utf8String: organisation }] }),
      "bank-one",
    );
    assert(read.ok, organisation);
    const { pem } = await issueFor(read.value.organisation);
    assertEquals(organisationByOpenssl(pem), organisation);
  }
});

test("organisations in other string types and raw DER are certified as text or refused", async () => {
  for (const hex of ["0500", "1a0442616e6b", "0c0f1b5b33316d5061796f75743a20301b5b306d", "3000"]) {
    const subject = { O: [`#${hex}`] };
    // The library cannot write some of them, so that there is no request to refuse.
    const csr = await request(subject as JsonNameParams[number]).catch(() => "");
    const read = await readSigningRequest(csr, "bank-one");
    assertEquals(read.ok ? `accepted ${JSON.stringify(subject)}` : read.code, "invalid_csr");
  }
  for (const type of ["printableString", "utf8String", "bmpString", "ia5String"] as const) {
    const read = await readSigningRequest(await request({ O: [{ [type]: "Bank" }] }), "bank-one");
    assert(read.ok, type);
    assertEquals(read.value.organisation, "Bank");
  }
});

test("whatever subject is certified, openssl reads the same organisation from it", async () => {
  const character = fc.oneof(
    anyCharacter,
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    fc.constantFrom("#", "\\", "\\0a", '"', "0c", "00", ",", "+", "=", "\u001b[", " ", "é", "ب"),
    fc.constantFrom(..."ABCabc012'()-./:?&@_!"),
  );
  const organisations = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(organisations, async (organisation) => {
      // Whatever is signed as text must come back as the same text, also past the allow-list.
      if (/[\n\r\p{Cs}]/u.test(organisation)) return;
      const { pem } = await issueFor(organisation);
      assertEquals(organisationByOpenssl(pem), organisation);
      const read = await readSigningRequest(
        await request({ O: [{ utf8String: organisation }] }),
        "bank-one",
      );
      if (!read.ok) return assertEquals(read.code, "invalid_csr");
      assertEquals(read.value.organisation, organisation.trim());
    }),
    { numRuns: 40 },
  );
});

test("a certificate that is not what was asked for does not leave the authority", async () => {
  // An authority whose certificate has another key than the one that signs.
  const other = await createAuthority({ environment: "sandbox", name: "issuing", nowMs, random });
  const error = await issueFor("Bank", { ...issuer, sign: other.sign }).then(
    () => "issued",
    (error: Error) => error.message,
  );
  assertMatch(error, /not the one that was asked for/);
});
