import { execFile } from "node:child_process";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { encryptKit, PASSPHRASE } from "./kit_file.ts";

const run = promisify(execFile);
/** Answers age, which reads a passphrase from a terminal alone. */
const AT_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[4], ["age", "-d", "-o", sys.argv[2], sys.argv[1]])
os.read(terminal, 1024)
os.write(terminal, (sys.argv[3] + "\\n").encode())
try:
  while os.read(terminal, 1024): pass
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;

const KIT = {
  environment: "sandbox",
  clientId: "bank-two",
  clientSecret: "no secret",
  webhookSecret: "no secret",
  webhookUrl: null,
  settlementIban: "SA0380000000608010167519",
  signingKeyId: null,
  caPem: "an authority\n",
  clientCertificatePem: null,
  clientKeyPem: null,
  signingKeyPem: null,
  receiver: null,
} as const;

test("age and tar open a kit's file, by recipient and by passphrase", async () => {
  const folder = temporaryFolder();
  const { command: age } = await findProgram("age");
  const identity = await generateX25519Identity();
  const identityFile = join(folder, "key.txt");
  await writeFile(identityFile, identity);
  const recipient = await identityToRecipient(identity);
  for (const to of [recipient, PASSPHRASE]) {
    const place = join(folder, to);
    await mkdir(place);
    const options = { baseUrl: "https://sabika.test", to, nowMs: 1_795_167_000_000, random };
    const { name, text, passphrase } = await encryptKit(KIT, options);
    const [file, archive] = [join(place, name), join(place, "kit.tar")];
    await writeFile(file, text);
    if (passphrase === null) await run(age, ["-d", "-i", identityFile, "-o", archive, file]);
    else await run("python3", ["-c", AT_TERMINAL, file, archive, passphrase, age]);
    const { stdout, stderr: complaint } = await run("tar", ["-xvf", archive, "-C", place]);
    assertEquals(complaint, "");
    assertStringIncludes(stdout, "bank-two/partner.json");
    for (const [path, mode] of [["", 0o700], ["ca.crt", 0o600]] as const) {
      assertEquals((await stat(join(place, "bank-two", path))).mode & 0o777, mode);
    }
  }
});
