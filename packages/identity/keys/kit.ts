import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "@sabika/protocol";
import { writePrivateFile } from "./private_file.ts";

/** Everything that a partner needs to call (Decision D43); the partner supplies what is null. */
export interface Kit {
  environment: Environment;
  clientId: string;
  clientSecret: string;
  webhookSecret: string;
  webhookUrl: string | null;
  settlementIban: string;
  signingKeyId: string | null;
  /** The authority that the server's certificate is checked against. */
  caPem: string;
  /** Followed by the issuing authority's. */
  clientCertificatePem: string | null;
  clientKeyPem: string | null;
  signingKeyPem: string | null;
  /** Sandbox: for an https webhook receiver on localhost. */
  receiver: { certificatePem: string; keyPem: string } | null;
}

/** Returns the files of a kit's folder, each with its name and text; `baseUrl` is the service's address. */
export function kitFiles(baseUrl: string, kit: Kit): (readonly [name: string, text: string])[] {
  const partner = {
    environment: kit.environment,
    base_url: baseUrl,
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
    webhook_secret: kit.webhookSecret,
    webhook_url: kit.webhookUrl,
    settlement_iban: kit.settlementIban,
    signing_key_id: kit.signingKeyId,
  };
  const files: readonly (readonly [string, string | null | undefined])[] = [
    ["partner.json", `${JSON.stringify(partner, null, 2)}\n`],
    ["ca.crt", kit.caPem],
    ["client.crt", kit.clientCertificatePem],
    ["client.key", kit.clientKeyPem],
    ["signing.key", kit.signingKeyPem],
    ["receiver.crt", kit.receiver?.certificatePem],
    ["receiver.key", kit.receiver?.keyPem],
  ];
  return files.flatMap(([name, text]) => typeof text === "string" ? [[name, text] as const] : []);
}

/**
 * Writes a kit to a folder (0700) with files of mode 0600; existing files of the same names are replaced.
 *
 * @param baseUrl the service's address in this environment
 * @returns the names of the files
 */
export async function writeKit(folder: string, baseUrl: string, kit: Kit): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const files = kitFiles(baseUrl, kit);
  for (const [name, text] of files) await writePrivateFile(join(folder, name), text);
  return files.map(([name]) => name);
}
