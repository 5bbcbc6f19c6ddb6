import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { generateP256, isP256PublicKey } from "../keys/p256.ts";
import { createAuthority } from "./authority.ts";
import { issueClientCertificate, issueServerCertificate } from "./issue.ts";
import { createRevocationList } from "./revocation_list.ts";
import { readSigningRequest } from "./signing_request.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const nowMs = Date.now();

function withFolder<T>(body: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "sabika-x509-"));
  return Promise.resolve(body(folder)).finally(() => rmSync(folder, { recursive: true }));
}

function openssl(folder: string, ...args: string[]): string {
  return execFileSync("openssl", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

function csr(folder: string, subject: string, key = ["ec", "ec_paramgen_curve:P-256"]): string {
  openssl(
    folder,
    "req",
    "-new",
    "-newkey",
    key[0]!,
    "-pkeyopt",
    key[1]!,
    "-nodes",
    "-keyout",
    "client.key",
    "-subj",
    subject,
    "-out",
    "client.csr",
    ...key.slice(2),
  );
  return readFileSync(join(folder, "client.csr"), "utf8");
}

async function authorities() {
  const root = await createAuthority({ environment: "sandbox", name: "root", nowMs, random });
  const issuing = await createAuthority({
    environment: "sandbox",
    name: "issuing",
    nowMs,
    random,
    root,
  });
  return { root, issuing };
}

test("openssl verifies the certificate for its request, for client authentication only", () =>
  withFolder(async (folder) => {
    const { root, issuing } = await authorities();
    const request = await readSigningRequest(
      csr(folder, "/O=Bank, Inc. =x/CN=bank-one"),
      "bank-one",
    );
    assert(request.ok);
    const issued = await issueClientCertificate({
      issuer: issuing,
      environment: "sandbox",
      clientId: "bank-one",
      nowMs,
      random,
      ...request.value,
    });
    writeFileSync(join(folder, "root.pem"), root.pem);
    writeFileSync(join(folder, "issuing.pem"), issuing.pem);
    writeFileSync(join(folder, "client.pem"), issued.pem);
    const verify = ["verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "issuing.pem"];
    assertMatch(openssl(folder, ...verify, "-purpose", "sslclient", "client.pem"), /OK/);
    assertThrows(() => openssl(folder, ...verify, "-purpose", "sslserver", "client.pem"));
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
  }));

test("a request with a wrong curve, name, organisation or signature is refused with the reason", () =>
  withFolder(async (folder) => {
    const message = async (text: string) => {
      const request = await readSigningRequest(text, "bank-one");
      return request.ok ? "accepted" : request.detail;
    };
    const good = csr(folder, "/O=Bank/CN=bank-one");
    assertEquals(await message(good), "accepted");
    assertEquals(await message(openssl(folder, "req", "-in", "client.csr", "-newhdr")), "accepted");
    const der = Buffer.from(good.replace(/-----.*-----/g, ""), "base64");
    der[der.length - 1]! ^= 1;
    const broken = `-----BEGIN CERTIFICATE REQUEST-----\n${
      der.toString("base64")
    }\n-----END CERTIFICATE REQUEST-----`;
    assertStringIncludes(await message(broken), "signed by its own key");
    assertStringIncludes(await message(csr(folder, "/O=Bank/CN=bank-two")), "bank-one");
    assertStringIncludes(
      await message(csr(folder, "/O=Bank/CN=bank-one/CN=bank-one")),
      "common name",
    );
    assertStringIncludes(await message(csr(folder, "/CN=bank-one")), "organisation");
    assertStringIncludes(await message(csr(folder, "/O=A/O=B/CN=bank-one")), "organisation");
    const ec = (name: string, ...more: string[]) => ["ec", `ec_paramgen_curve:${name}`, ...more];
    assertStringIncludes(await message(csr(folder, "/O=Bank/CN=bank-one", ec("P-384"))), "P-256");
    assertStringIncludes(
      await message(csr(folder, "/O=Bank/CN=bank-one", ec("secp256k1"))),
      "P-256",
    );
    assertStringIncludes(
      await message(
        csr(folder, "/O=Bank/CN=bank-one", ec("P-256", "-pkeyopt", "ec_param_enc:explicit")),
      ),
      "P-256",
    );
    assertStringIncludes(
      await message(csr(folder, "/O=Bank/CN=bank-one", ["rsa", "rsa_keygen_bits:2048"])),
      "P-256",
    );
    assertStringIncludes(
      await message(readFileSync(join(folder, "client.key"), "utf8")),
      "private key",
    );
    for (
      const text of [
        "",
        "hello",
        "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----",
      ]
    ) {
      assertStringIncludes(await message(text), "not a certificate signing request");
    }
  }));

test("a server certificate covers its names and addresses and authenticates no client", () =>
  withFolder(async (folder) => {
    const { root, issuing } = await authorities();
    const keys = await generateP256();
    const issued = await issueServerCertificate({
      issuer: issuing,
      hosts: ["localhost", "127.0.0.1", "::1"],
      publicKey: keys.publicKey,
      nowMs,
      random,
    });
    writeFileSync(join(folder, "root.pem"), root.pem);
    writeFileSync(join(folder, "issuing.pem"), issuing.pem);
    writeFileSync(join(folder, "server.pem"), issued.pem);
    const verify = ["verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "issuing.pem"];
    for (
      const host of [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"], [
        "-verify_ip",
        "::1",
      ]]
    ) {
      assertMatch(openssl(folder, ...verify, "-purpose", "sslserver", ...host, "server.pem"), /OK/);
    }
    assertThrows(() => openssl(folder, ...verify, "-purpose", "sslclient", "server.pem"));
    assertThrows(() =>
      openssl(folder, ...verify, "-verify_hostname", "elsewhere.example", "server.pem")
    );
  }));

test("openssl refuses a certificate on the revocation list and accepts the others", () =>
  withFolder(async (folder) => {
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
    const lists = await Promise.all([
      createRevocationList({
        issuer: issuing,
        number: 200n,
        nowMs,
        revoked: [{ serial: lost.serial, revokedAtMs: nowMs }],
      }),
      createRevocationList({ issuer: root, number: 1n, nowMs, revoked: [] }),
    ]);
    writeFileSync(join(folder, "ca.pem"), root.pem + issuing.pem);
    writeFileSync(join(folder, "crl.pem"), lists.join(""));
    writeFileSync(join(folder, "kept.pem"), kept.pem);
    writeFileSync(join(folder, "lost.pem"), lost.pem);
    const verify = [
      "verify",
      "-x509_strict",
      "-crl_check_all",
      "-CAfile",
      "ca.pem",
      "-CRLfile",
      "crl.pem",
    ];
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
  }));

test("isP256PublicKey() accepts only uncompressed keys on the named curve P-256", async () => {
  const { publicKey } = await generateP256();
  assert(isP256PublicKey(await crypto.subtle.exportKey("spki", publicKey)));
  assert(!isP256PublicKey(new ArrayBuffer(91)));
});
