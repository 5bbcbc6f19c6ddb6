import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Authorities, makeServerCertificate } from "@sabika/identity/certificates";
import { writePrivateFile } from "@sabika/identity/keys";
import type { DataFolder, Surroundings } from "@sabika/deployment/folders";
import { formatTime } from "@sabika/protocol";

const HOSTS = ["127.0.0.1", "localhost", "::1"];
const RENEW_BEFORE_MS = 30 * 24 * 3600 * 1000;

/**
 * Reads the server's certificate for this machine from `server/`; makes a new one if it is missing,
 * of another authority, or ends within 30 days. Writes the authority's certificates too. All are PEM.
 */
export async function openServerIdentity(
  folder: DataFolder,
  authorities: Authorities,
  { now, random }: Surroundings,
) {
  await writePrivateFile(join(folder.authority, "ca.crt"), authorities.root.pem);
  await writePrivateFile(join(folder.authority, "client-ca.crt"), authorities.clientCaPem);
  const files = {
    certificate: join(folder.server, "server.crt"),
    key: join(folder.server, "server.key"),
    validUntil: join(folder.server, "valid-until"),
  };
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  const certificatePem = await read(files.certificate);
  const keyPem = await read(files.key);
  const endsMs = Date.parse(await read(files.validUntil));
  const isOurs = certificatePem.endsWith(authorities.issuing.pem);
  if (isOurs && keyPem !== "" && endsMs - now() > RENEW_BEFORE_MS) {
    return { certificatePem, keyPem };
  }
  const made = await makeServerCertificate({ authorities, hosts: HOSTS, nowMs: now(), random });
  await writePrivateFile(files.certificate, made.certificatePem);
  await writePrivateFile(files.key, made.keyPem);
  await writePrivateFile(files.validUntil, `${formatTime(made.validUntilMs)}\n`);
  return made;
}
