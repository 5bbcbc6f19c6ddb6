import { existsSync } from "node:fs";
import { copyFile, cp, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { startMoto, whyNoMoto } from "../../test/support/moto.ts";
import { commandLine } from "../programs/command_line.ts";
import { fetchDebianPackages, libraryPath } from "../programs/fetch_packages.ts";
import { findProgram, type Program } from "../programs/find_program.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { makeToken, PIN } from "./keys.ts";
import type { ClientsSandbox } from "./sandbox.ts";
import { type Check, installBeside, type Outcome, runCommandOf } from "./subject.ts";

/** What a bank adds to its own project. */
const PKCS11JS = "pkcs11js@2.1.7";
const AWS = "@aws-sdk/client-kms@3.1164.0";

/** Prints a signing request, by which the operator registers a key in KMS. */
const REQUEST_OF_KMS = `import { KMS } from "@aws-sdk/client-kms";
import { makeSigningRequest, openKmsSigner } from "@sabika/client";
const signer = await openKmsSigner(new KMS(), process.argv[1]);
const subject = { clientId: process.argv[2], organisation: "Demo" };
process.stdout.write(await makeSigningRequest(subject, signer.publicKey, signer));`;

/** Makes the checks of the examples whose private keys are elsewhere (Decision D119). */
export async function keyChecks(project: string): Promise<Check[]> {
  const hsm = await findSoftHsm().catch((error: Error) => error);
  const isHsm = !(hsm instanceof Error);
  return [
    {
      name: "every operation is called while both private keys stay in an HSM, SoftHSM",
      missing: isHsm ? undefined : hsm.message,
      run: async (sandbox) =>
        isHsm ? await buyWithHsm(project, await sandbox(), hsm) : { ok: false, output: "" },
    },
    {
      name: "the key that signs stays in AWS KMS, moto",
      missing: await whyNoMoto(),
      run: async (sandbox) => await buyWithKms(project, await sandbox()),
    },
  ];
}

/** SoftHSM, and libp11's engine for OpenSSL. */
interface SoftHsm {
  softhsm: Program;
  engine: string;
  /** The folder of Node's headers, with which pkcs11js is built. */
  headers: string;
  env: Record<string, string>;
}

async function findSoftHsm(): Promise<SoftHsm> {
  const headers = dirname(dirname(process.execPath));
  if (!existsSync(join(headers, "include", "node", "node_api.h"))) {
    throw new Error("the headers of Node are not beside it, and pkcs11js is built with them");
  }
  const [softhsm, libp11] = await Promise.all([
    findProgram("softhsm2-util"),
    fetchDebianPackages("libengine-pkcs11-openssl"),
  ]);
  const libraries = await libraryPath(join(libp11, "usr"));
  const others = softhsm.env["LD_LIBRARY_PATH"];
  return {
    softhsm,
    engine: join(libraries.split(":")[0]!, "engines-3", "pkcs11.so"),
    headers,
    env: { LD_LIBRARY_PATH: others === undefined ? libraries : `${others}:${libraries}` },
  };
}

async function buyWithHsm(
  project: string,
  sandbox: ClientsSandbox,
  { softhsm, engine, headers, env }: SoftHsm,
): Promise<Outcome> {
  const folder = join(project, "of-hsm");
  await cp(await sandbox.nextKit(), folder, { recursive: true });
  const token = await makeToken(softhsm, folder, folder);
  await Promise.all(["client.key", "signing.key"].map((name) => rm(join(folder, name))));
  await installBeside(project, [PKCS11JS]);
  await mustRun("npm", ["rebuild", "pkcs11js", "--loglevel=error"], {
    cwd: project,
    env: { ...process.env, npm_config_nodedir: headers },
  });
  const { module } = token;
  const ofBank = { ...token.env, ...env, PKCS11_PIN: PIN, PKCS11_MODULE_PATH: module };
  const opener = join(project, "kit_of_hsm.mjs");
  await copyFile(join(ROOT, "docs", "examples", basename(opener)), opener);
  const configuration = join(folder, "openssl.cnf");
  await writeFile(configuration, configurationOf(engine));
  const day = await sandbox.reserveDay();
  let end = await buy(project, ["keys_in_hsm.mjs", folder, module, engine], ofBank);
  for (const name of [engine, "pkcs11"]) {
    if (!end.ok) return end;
    const env = { ...ofBank, OPENSSL_CONF: name === engine ? "" : configuration };
    end = await callOperations([day, folder, opener, module, name], env);
  }
  return end;
}

/** A configuration of OpenSSL, as Node reads it, that names an engine. */
function configurationOf(path: string): string {
  return `nodejs_conf = node
[node]
engines = engines
[engines]
pkcs11 = pkcs11
[pkcs11]
engine_id = pkcs11
dynamic_path = ${path}
init = 0
`;
}

/** Calls every operation with the SDK; its arguments are those of call_operations.ts. */
export async function callOperations(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  return await runCommandOf({
    command: process.execPath,
    args: ["--import", "tsx", join("tools", "clients", "call_operations.ts"), ...args],
    cwd: ROOT,
    env,
  });
}

async function buyWithKms(project: string, sandbox: ClientsSandbox): Promise<Outcome> {
  const folder = join(project, "of-kms");
  const id = basename(sandbox.kit);
  await cp(await sandbox.nextKit(), folder, { recursive: true });
  await rm(join(folder, "signing.key"));
  const moto = await startMoto();
  try {
    const { KeyMetadata } = await moto.call("CreateKey", {
      KeySpec: "ECC_NIST_P256",
      KeyUsage: "SIGN_VERIFY",
    }) as { KeyMetadata: { KeyId: string } };
    const key = KeyMetadata.KeyId;
    await installBeside(project, [AWS]);
    const request = await mustRun(
      process.execPath,
      ["--input-type=module", "--eval", REQUEST_OF_KMS, key, id],
      { cwd: project, env: { ...process.env, ...moto.env } },
    );
    await writeFile(join(folder, "kms.csr"), request);
    await sandbox.sabika(commandLine`signing-key add ${id} ${join(folder, "kms.csr")}`);
    return await buy(project, ["key_in_kms.mjs", folder, key], moto.env);
  } finally {
    await moto.stop();
  }
}

/** Runs an example, which says the order and the id of the key that signed it. */
async function buy(
  project: string,
  [example, ...args]: [string, ...string[]],
  env: Record<string, string>,
): Promise<Outcome> {
  await copyFile(join(ROOT, "docs", "examples", example), join(project, example));
  const run = { command: process.execPath, args: [example, ...args], cwd: project, env };
  const { ok, output } = await runCommandOf(run);
  return { ok: ok && /^ord_\S+ executed \S{43}$/m.test(output), output };
}
