import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { publicJwk, thumbprint } from "@sabika/protocol";
import { makeSigningRequest, pem, type RequestSubject } from "../signing_request.ts";
import { type Command, CommandError, row, UsageError } from "./io.ts";

/** The longest common name and organisation (RFC 5280 appendix A.1). */
const NAME_MAX_CHARACTERS = 64;

/** `sabika-client keys` */
export const keys: Command = {
  summary: "make your two keys, and the signing requests for the operator",
  help: `Makes your two keys, and a certificate signing request with each for the operator.

  sabika-client keys --client-id ID --organisation NAME [--out FOLDER]

  --client-id ID       your client id, the requests' common name (CN)
  --organisation NAME  your company, the requests' organisation (O)
  --out FOLDER         where the files go; this folder by default

client.key and signing.key never leave you. Send client.csr and signing.csr: for the first you get
client.crt, the second proves that you have the signing key. No file is ever overwritten.`,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        "client-id": { type: "string" },
        organisation: { type: "string" },
        out: { type: "string", default: "." },
      },
    });
    const clientId = nameOf("--client-id", values["client-id"]);
    const organisation = nameOf("--organisation", values.organisation);
    const subject = { organisation, clientId };
    const [client, signing] = [
      await makeKeyWithRequest(subject),
      await makeKeyWithRequest(subject),
    ];
    await writeNew(values.out, {
      "client.key": client.privateKeyPem,
      "client.csr": client.requestPem,
      "signing.key": signing.privateKeyPem,
      "signing.csr": signing.requestPem,
    });
    io.print(row("client.key", "the key of your connections; keep it"));
    io.print(row("client.csr", "send it to the operator: you get client.crt"));
    io.print(row("signing.key", "the key that signs orders and withdrawals; keep it"));
    io.print(row("signing.csr", "send it to the operator"));
    io.print(`signing key id ${await thumbprint(await publicJwk(signing.publicKey))}`);
    return 0;
  },
};

/** Makes a P-256 key, and a signing request with it. */
async function makeKeyWithRequest(subject: RequestSubject) {
  const P256 = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
  const { privateKey, publicKey } = keys;
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  return {
    publicKey,
    privateKeyPem: pem("PRIVATE KEY", pkcs8),
    requestPem: await makeSigningRequest(subject, publicKey, privateKey),
  };
}

function nameOf(option: string, text: string | undefined): string {
  const value = text?.trim() ?? "";
  if (value === "") throw new UsageError(`${option} is needed`);
  if ([...value].length <= NAME_MAX_CHARACTERS) return value;
  throw new UsageError(`${option} has at most ${NAME_MAX_CHARACTERS} characters`);
}

/** Writes all files or none, and never overwrites a file. */
async function writeNew(folder: string, files: Record<string, string>): Promise<void> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  const taken = paths.find((path) => existsSync(path));
  if (taken !== undefined) throw new CommandError(`${taken} is there already: nothing was written`);
  const written: string[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await rm(path);
    throw new CommandError(`cannot write to ${folder}: ${(error as Error).message}`);
  }
}
