import { assertEquals, assertStringIncludes } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { commandLine } from "../../tools/programs/command_line.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { RULES, startEdge } from "../../test/support/edge/edge.ts";
import { openTls } from "../../test/support/edge/raw_call.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { checkSet } from "./check_set.ts";
import { rotate } from "./rotate.ts";

// Server keys as OpenSSL writes them, handed to a real Envoy.

const edge = await startEdge();
after(edge.close);
const folder = temporaryFolder();
const openssl = async (args: string[]) => {
  const text = await mustRun("openssl", args);
  testRecord.secretsIn(text);
  return text;
};
const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: Uint8Array.from([1, 0, 1]),
};
const KINDS = {
  "SEC1 of P-256": [{ name: "ECDSA", namedCurve: "P-256" }, "EC PRIVATE KEY"],
  "SEC1 of P-384": [{ name: "ECDSA", namedCurve: "P-384" }, "EC PRIVATE KEY"],
  "PKCS#1 of RSA": [RSA, "RSA PRIVATE KEY"],
} as const;

async function issue(algorithm: EcKeyGenParams | RsaHashedKeyGenParams) {
  const { certificate, key } = await edge.authority.issueServer({ algorithm });
  const file = join(folder, crypto.randomUUID());
  await writeFile(file, key, { mode: 0o600 });
  return { set: { ...edge.secrets, serverCertificate: certificate }, file };
}

for (const [name, [algorithm, label]] of Object.entries(KINDS)) {
  test(`Envoy gets a server key in ${name}`, async () => {
    const { set, file } = await issue(algorithm);
    const traditional = await openssl(commandLine`pkey -in ${file} -traditional`);
    assertStringIncludes(traditional, `BEGIN ${label}`);
    // As \`openssl ecparam -genkey\` puts it before the key.
    const parameters = label === "EC PRIVATE KEY"
      ? "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
      : "";
    const nowMs = Date.now();
    const done = await rotate(
      edge.settings,
      { ...set, serverKey: parameters + traditional },
      { nowMs, ...RULES },
    );
    assertEquals(done.ok && done.applied, true, JSON.stringify(done));
    const socket = await openTls(edge, edge.partner);
    const shown = socket.getPeerX509Certificate()!.toString();
    socket.destroy();
    assertEquals(shown.replaceAll(/\s/g, ""), set.serverCertificate.replaceAll(/\s/g, ""));
    const other = { ...edge.secrets, serverKey: traditional };
    assertEquals(await checkSet(other, { nowMs, ...RULES }), [
      "server key: not the key of the server certificate",
    ]);
  });
}

test("an encrypted server key is refused with the command that decrypts it", async () => {
  const { set, file } = await issue(KINDS["SEC1 of P-256"][0]);
  for (const how of [["pkey"], ["ec"]]) {
    const serverKey = await openssl([...how, "-in", file, "-aes128", "-passout", "pass:secret"]);
    assertEquals(await checkSet({ ...set, serverKey }, { nowMs: Date.now(), ...RULES }), [
      "server key: it is encrypted; decrypt it with openssl pkey -in KEY -out KEY.new",
    ]);
  }
});
