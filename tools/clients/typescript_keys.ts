import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { startMoto, whyNoMoto } from "../../test/support/moto.ts";
import { commandLine } from "../programs/command_line.ts";
import { fetchDebianPackages, libraryPath } from "../programs/fetch_packages.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { type Check, installBeside, type Outcome, runCommandOf } from "./subject.ts";

/** What a bank adds to its own project. */
const PKCS11JS = "pkcs11js@2.1.7";
const AWS = "@aws-sdk/client-kms@3.1164.0";
const PIN = "1234";

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
      name: "both private keys stay in an HSM, SoftHSM",
      missing: isHsm ? undefined : hsm.message,
      run: async (sandbox) =>
        isHsm ? await buyWithHsm(project, (await sandbox()).kit, hsm) : { ok: false, output: "" },
    },
    {
      name: "the key that signs stays in AWS KMS, moto",
      missing: await whyNoMoto(),
      run: async (sandbox) => await buyWithKms(project, (await sandbox()).kit),
    },
  ];
}

/** SoftHSM, and libp11's engine for OpenSSL. */
interface SoftHsm {
  util: string;
  module: string;
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
  const [hsm, libp11] = await Promise.all(
    ["softhsm2", "libengine-pkcs11-openssl"].map((name) => fetchDebianPackages(name)),
  ) as [string, string];
  const libraries = await libraryPath(join(libp11, "usr"));
  return {
    util: join(hsm, "usr", "bin", "softhsm2-util"),
    module: join(hsm, "usr", "lib", "softhsm", "libsofthsm2.so"),
    engine: join(libraries.split(":")[0]!, "engines-3", "pkcs11.so"),
    headers,
    env: { LD_LIBRARY_PATH: `${await libraryPath(join(hsm, "usr"))}:${libraries}` },
  };
}

async function buyWithHsm(project: string, kit: string, hsm: SoftHsm): Promise<Outcome> {
  const folder = await makeKit(project, kit, "of-hsm");
  const [tokens, config] = [join(folder, "tokens"), join(folder, "softhsm2.conf")];
  await mkdir(tokens);
  await writeFile(config, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  const env = { ...hsm.env, SOFTHSM2_CONF: config };
  const util = (...args: string[]) =>
    mustRun(hsm.util, ["--module", hsm.module, ...args, "--pin", PIN], {
      env: { ...process.env, ...env },
    });
  await util(...commandLine`--init-token --free --label bank --so-pin ${PIN}`);
  for (const [name, id] of [["client", "01"], ["signing", "02"]] as const) {
    const key = join(folder, `${name}.key`);
    await util(...commandLine`--import ${key} --token bank --label ${name} --id ${id}`);
    await rm(key);
  }
  await installBeside(project, [PKCS11JS]);
  await mustRun("npm", ["rebuild", "pkcs11js", "--loglevel=error"], {
    cwd: project,
    env: { ...process.env, npm_config_nodedir: hsm.headers },
  });
  const ofBank = { ...env, PKCS11_PIN: PIN, PKCS11_MODULE_PATH: hsm.module };
  return await buy(project, ["keys_in_hsm.mjs", folder, hsm.module, hsm.engine], ofBank);
}

async function buyWithKms(project: string, kit: string): Promise<Outcome> {
  const folder = await makeKit(project, kit, "of-kms");
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
      ["--input-type=module", "--eval", REQUEST_OF_KMS, key, basename(kit)],
      { cwd: project, env: { ...process.env, ...moto.env } },
    );
    await writeFile(join(folder, "kms.csr"), request);
    await sabika(kit, "signing-key", "add", basename(kit), join(folder, "kms.csr"));
    return await buy(project, ["key_in_kms.mjs", folder, key], moto.env);
  } finally {
    await moto.stop();
  }
}

/** Makes a kit of the partner with keys of its own, as the partner and the operator make it. */
async function makeKit(project: string, kit: string, name: string): Promise<string> {
  const folder = join(project, name);
  const client = join(project, "node_modules", ".bin", "sabika-client");
  // The kit's folder has the partner's id for a name.
  const id = basename(kit);
  await mustRun(client, commandLine`keys --client-id ${id} --organisation Demo --out ${folder}`);
  const [request, certificate] = [join(folder, "client.csr"), join(folder, "client.crt")];
  await sabika(kit, "certificate", "issue", id, request, "--out", certificate);
  await sabika(kit, "signing-key", "add", id, join(folder, "signing.csr"));
  await copyFile(join(kit, "ca.crt"), join(folder, "ca.crt"));
  const partner = JSON.parse(await readFile(join(kit, "partner.json"), "utf8"));
  const unsigned = JSON.stringify({ ...partner, signing_key_id: null });
  await writeFile(join(folder, "partner.json"), unsigned);
  return folder;
}

/** Runs the operator's command on the sandbox of a kit. */
async function sabika(kit: string, ...args: string[]): Promise<void> {
  const data = dirname(dirname(kit));
  const command = join(ROOT, "tools", "sabika.mjs");
  await mustRun(process.execPath, [command, ...args, "--data", data]);
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
