import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BASE_URL } from "../service_requests.ts";
import type { ServerTls } from "../test_admin.ts";
import type { TestService } from "../test_service.ts";

/** Writes the files for a server's own TLS to `folder`; returns the settings that name them. */
export async function ownTlsFiles(tls: ServerTls, folder: string): Promise<Record<string, string>> {
  const files = {
    SABIKA_TLS_CERTIFICATE_FILE: tls.certificatePem,
    SABIKA_TLS_KEY_FILE: tls.keyPem,
    SABIKA_CLIENT_CA_FILE: tls.clientCaPem,
  };
  const settings: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    settings[name] = join(folder, name);
    await writeFile(settings[name], text, { mode: 0o600 });
  }
  return settings;
}

/**
 * Returns the settings of a server process on a test service's database, which listens on `port` with its
 * own TLS. Certificates and keys are written to `folder`.
 */
export async function ownTlsEnvironment(
  { admin, tls, test }: TestService,
  folder: string,
  port: number,
): Promise<Record<string, string>> {
  return {
    ...await ownTlsFiles(tls, folder),
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_BASE_URL: BASE_URL,
    SABIKA_DATABASE_URL: test.urlAs("sabika_app"),
    SABIKA_DATABASE_CONNECTIONS: "4",
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_LISTEN: `127.0.0.1:${port}`,
  };
}
