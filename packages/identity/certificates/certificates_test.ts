import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { generateP256, toPem } from "../keys/p256.ts";
import { createAuthority } from "./authority.ts";
import { issueClientCertificate, issueServerCertificate } from "./issue.ts";
import { createRevocationList } from "./revocation_list.ts";
import { readSigningRequest } from "./signing_request.ts";

const nowMs = Date.now();

function openssl(folder: string, ...args: string[]): string {
  return execFileSync("openssl", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

function csr(folder: string, subject: string, key = ["ec", "ec_paramgen_curve:P-256"]): string {
  const made = ["req", "-new", "-nodes", "-keyout", "client.key", "-out", "client.csr"];
  const [algorithm, option, ...more] = key as [string, string, ...string[]];
  openssl(folder, ...made, "-subj", subject, "-newkey", algorithm, "-pkeyopt", option, ...more);
  return readFileSync(join(folder, "client.csr"), "utf8");
}

async function authorities() {
  const common = { environment: "sandbox", nowMs, random } as const;
  const root = await createAuthority({ ...common, name: "root" });
  return { root, issuing: await createAuthority({ ...common, name: "issuing", root }) };
}

/** Writes the texts as files of these names. */
function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const VERIFY = ["verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "issuing.pem"];

test("openssl verifies the certificate for its request, for client authentication only", async () => {
  const folder = temporaryFolder();
  const { root, issuing } = await authorities();
  const request = await readSigningRequest(csr(folder, "/O=Bank, Inc. =x/CN=bank-one"), "bank-one");
  assert(request.ok);
  const issued = await issueClientCertificate({
    issuer: issuing,
    environment: "sandbox",
    clientId: "bank-one",
    nowMs,
    random,
    ...request.value,
  });
  write(folder, { "root.pem": root.pem, "issuing.pem": issuing.pem, "client.pem": issued.pem });
  assertMatch(openssl(folder, ...VERIFY, "-purpose", "sslclient", "client.pem"), /OK/);
  assertThrows(() => openssl(folder, ...VERIFY, "-purpose", "sslserver", "client.pem"));
  const text = openssl(folder, "x509", "-in", "client.pem", "-noout", "-text");
  assertStringIncludes(text, "URI:urn:sabika:sandbox:bank-one");
  assertStringIncludes(text, "CA:FALSE");
  assertMatch(text, /Subject: O = "Bank, Inc. =x", CN = bank-one/);
  const print = openssl(folder, "x509", "-in", "client.pem", "-noout", "-fingerprint", "-sha256");
  assertStringIncludes(print.replaceAll(":", "").toLowerCase(), issued.hashHex);
  assertStringIncludes(
    openssl(folder, "x509", "-in", "client.pem", "-noout", "-serial").toLowerCase(),
    issued.serial,
  );
  assertEquals(issued.validUntilMs - issued.validFromMs, 365 * 86_400_000);
});

test("a request with a wrong curve, name, organisation or signature is refused with the reason", async () => {
  const folder = temporaryFolder();
  const good = csr(folder, "/O=Bank/CN=bank-one");
  const der = Buffer.from(good.replace(/-----.*-----/g, ""), "base64");
  der[der.length - 1]! ^= 1;
  const withKey = (...key: string[]) => csr(folder, "/O=Bank/CN=bank-one", key);
  const cases: [string, string][] = [
    [good, "accepted"],
    [openssl(folder, "req", "-in", "client.csr", "-newhdr"), "accepted"],
    [toPem("CERTIFICATE REQUEST", der), "signed by its own key"],
    [csr(folder, "/O=Bank/CN=bank-two"), "bank-one"],
    [csr(folder, "/O=Bank/CN=bank-one/CN=bank-one"), "common name"],
    [csr(folder, "/CN=bank-one"), "organisation"],
    [csr(folder, "/O=A/O=B/CN=bank-one"), "organisation"],
    [withKey("ec", "ec_paramgen_curve:P-384"), "P-256"],
    [withKey("ec", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"), "P-256"],
    [withKey("rsa", "rsa_keygen_bits:2048"), "P-256"],
    [readFileSync(join(folder, "client.key"), "utf8"), "private key"],
    ["hello", "not a certificate signing request"],
    [toPem("CERTIFICATE REQUEST", new Uint8Array(3)), "not a certificate signing request"],
  ];
  for (const [text, words] of cases) {
    const request = await readSigningRequest(text, "bank-one");
    assertStringIncludes(request.ok ? "accepted" : request.detail, words);
  }
});

test("a server certificate covers its names and addresses and authenticates no client", async () => {
  const folder = temporaryFolder();
  const { root, issuing } = await authorities();
  const keys = await generateP256();
  const issued = await issueServerCertificate({
    issuer: issuing,
    hosts: ["localhost", "127.0.0.1", "::1"],
    publicKey: keys.publicKey,
    nowMs,
    random,
  });
  write(folder, { "root.pem": root.pem, "issuing.pem": issuing.pem, "server.pem": issued.pem });
  const verify = [...VERIFY, "-purpose", "sslserver"];
  assertMatch(openssl(folder, ...verify, "-verify_hostname", "localhost", "server.pem"), /OK/);
  for (const address of ["127.0.0.1", "::1"]) {
    assertMatch(openssl(folder, ...verify, "-verify_ip", address, "server.pem"), /OK/);
  }
  assertThrows(() => openssl(folder, ...VERIFY, "-purpose", "sslclient", "server.pem"));
  const elsewhere = ["-verify_hostname", "elsewhere.example"];
  assertThrows(() => openssl(folder, ...VERIFY, ...elsewhere, "server.pem"));
});

test("openssl refuses a certificate on the revocation list and accepts the others", async () => {
  const folder = temporaryFolder();
  const { root, issuing } = await authorities();
  const issue = async (clientId: string) =>
    await issueClientCertificate({
      issuer: issuing,
      environment: "sandbox",
      clientId,
      organisation: "Bank",
      nowMs,
      random,
      publicKey: (await generateP256()).publicKey,
    });
  const [kept, lost] = [await issue("kept"), await issue("lost")];
  const revoked = [{ serial: lost.serial, revokedAtMs: nowMs }];
  const lists = [
    await createRevocationList({ issuer: issuing, number: 200n, nowMs, revoked }),
    await createRevocationList({ issuer: root, number: 1n, nowMs, revoked: [] }),
  ];
  write(folder, {
    "ca.pem": root.pem + issuing.pem,
    "crl.pem": lists.join(""),
    "kept.pem": kept.pem,
    "lost.pem": lost.pem,
  });
  const verify = ["verify", "-x509_strict", "-crl_check_all", "-CAfile", "ca.pem"];
  verify.push("-CRLfile", "crl.pem");
  assertMatch(openssl(folder, ...verify, "kept.pem"), /OK/);
  const error = assertThrows(() => openssl(folder, ...verify, "lost.pem")) as Error & {
    stderr: string;
  };
  assertStringIncludes(error.stderr, "certificate revoked");
  assertMatch(openssl(folder, "crl", "-in", "crl.pem", "-noout", "-crlnumber"), /0x0*C8/i);
  assertMatch(openssl(folder, "crl", "-in", "crl.pem", "-noout", "-text"), /Version 2/);
  assertThrows(() =>
    openssl(folder, ...verify, "-attime", String(nowMs / 1000 + 8 * 86_400 | 0), "kept.pem")
  );
});
