import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatWebhookSecret, publicJwk, thumbprint } from "@sabika/protocol";
import { privatePem } from "./private_pem.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { createTestAuthority, type TestAuthority } from "./test_certificates.ts";
import { makeKeys } from "./test_keys.ts";

/** Makes a kit of the partner `demo` on disk (Decision D43), by default with a new authority. */
export async function makeTestKit(baseUrl: string, authority?: TestAuthority) {
  const ca = authority ?? await createTestAuthority();
  const folder = temporaryFolder();
  const write = (name: string, text: string) =>
    writeFile(join(folder, name), text, { mode: 0o600 });
  const keys = await makeKeys();
  const client = await ca.issue({ name: "demo" });
  const partner = {
    environment: "sandbox",
    base_url: baseUrl,
    client_id: "demo",
    client_secret: "sk_not-so-secret/with+signs&more",
    webhook_secret: formatWebhookSecret(crypto.getRandomValues(new Uint8Array(32))),
    webhook_url: null,
    settlement_iban: "SA0380000000608010167519",
    signing_key_id: await thumbprint(await publicJwk(keys.publicKey)),
  };
  await write("partner.json", JSON.stringify(partner));
  await write("ca.crt", ca.certificatePem);
  await write("client.crt", client.certificatePem);
  await write("client.key", client.privateKeyPem);
  await write("signing.key", await privatePem(keys.privateKey));
  return {
    folder,
    authority: ca,
    signingPublicKey: keys.publicKey,
    partner,
    /** Replaces a file of the kit. */
    write,
  };
}
