import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { testRecord } from "../secret_search/record.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

const run = promisify(execFile);

/** Makes a P-256 key and a certificate signing request with OpenSSL, as a partner does; both PEM. */
export async function requestByOpenssl(
  clientId: string,
  organisation: string,
): Promise<{ keyPem: string; csr: string }> {
  const folder = temporaryFolder();
  const [key, csr] = [join(folder, "client.key"), join(folder, "client.csr")];
  await run(
    "openssl",
    commandLine`req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${key}
      -out ${csr} -subj /O=${organisation}/CN=${clientId}`,
  );
  const keyPem = await readFile(key, "utf8");
  testRecord.secretsIn(keyPem);
  return { keyPem, csr: await readFile(csr, "utf8") };
}
