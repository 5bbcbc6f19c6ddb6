import { after, test } from "node:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { newMasterKey } from "@sabika/identity/secrets";
import { admitPartner } from "@sabika/office/partners";
import { createRegister, openStoredRegister } from "@sabika/service/partners";
import { random } from "../../test/support/random.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { anAdmission, fileKeys, openTestAdmin } from "../../test/support/test_admin.ts";
import { readSnapshot, snapshotJob } from "./snapshot.ts";

// (D116) What a server keeps of control.
const admin = await openTestAdmin();
const register = createRegister({ ...admin, pollMs: 60_000 });
after(async () => {
  register.close();
  await admin.close();
});
const file = join(temporaryFolder(), "control.snapshot");
const AWAY_MS = 300_000;
const clock = { now: admin.now, realNow: admin.now };
const job = snapshotJob({
  ...admin,
  file,
  databases: { reading: admin.database },
  register,
  clock,
  agreed: new Map([["b", "1 00000001 7"]]),
});
const keys = fileKeys(admin.masterKeyText);
const readAt = (nowMs: number, more: Partial<Parameters<typeof readSnapshot>[0]> = {}) =>
  readSnapshot({
    file,
    keys,
    environment: "sandbox",
    awayMs: AWAY_MS,
    now: () => nowMs,
    ...more,
  });

test("a snapshot has all that the register knows, and no secret that is not sealed", async () => {
  assert((await admitPartner(admin, anAdmission("bank-one"))).ok);
  await register.refresh();
  await job.run();
  assertEquals((await stat(file)).mode & 0o777, 0o600);

  const { register: stored, cells } = await readAt(admin.now());
  assertEquals(cells, { b: "1 00000001 7" });
  const opened = await openStoredRegister(stored, keys);
  const known = register.contents()!;
  const shown = (contents: typeof known) => ({
    ...contents,
    tokenKeys: contents.tokenKeys.map(({ keyId }) => keyId),
    partners: contents.partners.map((partner) => ({
      ...partner,
      clientSecrets: partner.clientSecrets.map((secret) => ({
        ...secret,
        hash: [...secret.hash],
      })),
      signingKeys: partner.signingKeys.map(({ publicKey: _, ...key }) => key),
    })),
  });
  assertEquals(shown(opened), shown(known));
  const text = await readFile(file, "utf8");
  assert(known.partners[0]!.clientSecrets.length > 0);
  for (const { privateKey } of known.tokenKeys) {
    const { d } = await crypto.subtle.exportKey("jwk", privateKey).catch(() => ({ d: undefined }));
    assert(d === undefined || !text.includes(d));
  }
});

test("a snapshot is read only as it was signed, by its own deployment, and in time", async () => {
  const { asOfMs } = register.contents()!;
  const text = await readFile(file, "utf8");
  const changed = join(temporaryFolder(), "changed.snapshot");
  await writeFile(changed, text.replace("bank-one", "bank-two"));
  const stranger = fileKeys(newMasterKey("two", random));
  const cases = [
    ["does not fit", () => readAt(asOfMs, { file: changed })],
    ["is not at hand", () => readAt(asOfMs, { keys: stranger })],
    ["is of sandbox", () => readAt(asOfMs, { environment: "production" })],
    ["too old", () => readAt(asOfMs + AWAY_MS + 1)],
    ["too old", () => readAt(asOfMs - AWAY_MS - 1)],
    ["ENOENT", () => readAt(asOfMs, { file: `${file}.none` })],
  ] as const;
  for (const [message, read] of cases) await assertRejects(read, Error, message);
  assertEquals((await readAt(asOfMs + AWAY_MS)).register.asOfMs, asOfMs);
});
