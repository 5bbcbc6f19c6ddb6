import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { startMoto, whyNoMoto } from "../../test/support/moto.ts";
import { findProgram, type Program } from "../programs/find_program.ts";
import { mustRun } from "../programs/run_program.ts";
import { commandLine } from "../programs/command_line.ts";
import { type Check, type Command, runCommandOf } from "./subject.ts";

/** Opens the tokens that are made here. */
export const PIN = "1234";

/**
 * Makes a check that a client calls every operation with keys that it cannot read. For the command,
 * `SABIKA_TOKEN_MODULE` names a PKCS #11 module; the token is called sabika, its keys client and signing;
 * `SABIKA_TOKEN_PIN` opens it, and `SABIKA_TOKEN_KIT` names a folder of the kit without keys. AWS KMS is moto's.
 * The other variables are those of `checkTests`.
 */
export async function checkKeys(command: Command): Promise<Check> {
  const softhsm = await findProgram("softhsm2-util").catch((error: Error) => error);
  const missing = softhsm instanceof Error ? softhsm.message : await whyNoMoto();
  return {
    name: "every operation is called with keys that it cannot read",
    ...(missing !== undefined && { missing }),
    async run(sandbox) {
      const { kit, reserveDay, databaseUrl } = await sandbox();
      const folder = await mkdtemp(join(tmpdir(), "sabika-token-"));
      const moto = await startMoto();
      try {
        const keyless = await makeKitWithoutKeys(kit, folder);
        const { module, env: ofToken } = await makeToken(softhsm as Program, kit, folder);
        const token = {
          ...ofToken,
          SABIKA_TOKEN_MODULE: module,
          SABIKA_TOKEN_PIN: PIN,
          SABIKA_TOKEN_KIT: keyless,
        };
        const others = {
          SABIKA_KIT: kit,
          SABIKA_RESERVE_DAY: await reserveDay(),
          SABIKA_PARTNER_DATABASE: await databaseUrl(),
        };
        const env = { ...command.env, ...token, ...moto.env, ...others };
        return await runCommandOf({ ...command, env });
      } finally {
        await moto.stop();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Makes a token called sabika below a folder, with the keys of a kit; returns its module and its users' variables. */
export async function makeToken(
  softhsm: Program,
  kit: string,
  folder: string,
): Promise<{ module: string; env: Record<string, string> }> {
  const module = join(dirname(softhsm.command), "..", "lib", "softhsm", "libsofthsm2.so");
  const tokens = join(folder, "tokens");
  await mkdir(tokens);
  const configuration = join(folder, "softhsm2.conf");
  await writeFile(configuration, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  const env = { ...softhsm.env, SOFTHSM2_CONF: configuration };
  const run = (words: string[]) =>
    mustRun(softhsm.command, [...softhsm.args, "--module", module, ...words], {
      env: { ...process.env, ...env },
    });
  await run(commandLine`--init-token --free --label sabika --so-pin ${PIN} --pin ${PIN}`);
  for (const [id, label] of [["01", "client"], ["02", "signing"]] as const) {
    const file = join(kit, `${label}.key`);
    await run(
      commandLine`--import ${file} --token sabika --label ${label} --id ${id} --pin ${PIN}`,
    );
  }
  return { module, env };
}

/** Makes a kit below a folder that has no private keys; returns its folder. */
async function makeKitWithoutKeys(kit: string, folder: string): Promise<string> {
  const keyless = join(folder, "kit");
  await mkdir(keyless);
  // Java finds a key in a token by a certificate.
  const certificate = join(keyless, "signing.crt");
  await mustRun(
    "openssl",
    commandLine`req -x509 -key ${join(kit, "signing.key")} -subj /CN=signing -out ${certificate}`,
  );
  for (const name of ["partner.json", "ca.crt", "client.crt"]) {
    await copyFile(join(kit, name), join(keyless, name));
  }
  return keyless;
}
