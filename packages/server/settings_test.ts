import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newMasterKey } from "@sabika/identity/secrets";
import { type Setting, SETTINGS, SettingsError } from "@sabika/terms/settings";
import { checkProductionSettings } from "./production_checks.ts";
import { readSettings } from "./settings.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

const folder = temporaryFolder();
const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};
const masterKey = newMasterKey("k1", (length) => new Uint8Array(length).fill(7));

const BEHIND_SIDECAR = {
  SABIKA_ENVIRONMENT: "production",
  SABIKA_BASE_URL: "https://api.sabika.example",
  SABIKA_DATABASE_URL: "postgres://sabika@localhost/sabika",
  SABIKA_MASTER_KEY: masterKey,
  SABIKA_LISTEN: "unix:/run/sabika/app.sock",
  SABIKA_EDGE_SECRET_FILE: "/run/secrets/edge",
};

/** Asserts that the settings are refused in one line that contains `words` and shows no key. */
async function refuses(words: string, run: () => Promise<unknown>) {
  const { message } = await assertRejects(run, SettingsError);
  assertStringIncludes(message, words);
  assertEquals(message.includes("\n") || message.includes(masterKey), false, message);
}

test("readSettings() reads what a server behind the sidecar needs", async () => {
  const settings = await readSettings({
    ...BEHIND_SIDECAR,
    SABIKA_WATCH_LISTEN: "127.0.0.1:9464",
    SABIKA_DATABASE_CONNECTIONS: "8",
    SABIKA_DRAIN_SECONDS: "0",
  });
  assertEquals(settings.environment, "production");
  assertEquals(settings.listen, {
    kind: "sidecar",
    address: { path: "/run/sabika/app.sock" },
    edgeSecretFile: "/run/secrets/edge",
  });
  assertEquals(settings.watch, { host: "127.0.0.1", port: 9464 });
  assertEquals([settings.databaseConnections, settings.drainSeconds], [8, 0]);
  assertEquals(settings.accessLog, "all");
  assertEquals(settings.webhookAllowLoopback, false);
});

test("readSettings() needs no address for an instance that only delivers webhooks", async () => {
  const { SABIKA_LISTEN: _, SABIKA_EDGE_SECRET_FILE: __, SABIKA_BASE_URL: ___, ...rest } =
    BEHIND_SIDECAR;
  const alone = await readSettings({ ...rest, SABIKA_WEBHOOK_DELIVERY: "alone" });
  assertEquals([alone.listen, alone.deliverWebhooks], [{ kind: "nowhere" }, true]);
  checkProductionSettings(alone);
  const off = await readSettings({ ...BEHIND_SIDECAR, SABIKA_WEBHOOK_DELIVERY: "off" });
  assertEquals([off.listen.kind, off.deliverWebhooks], ["sidecar", false]);
});

test("readSettings() takes AWS's key service in place of master keys, in production by https", async () => {
  const { SABIKA_MASTER_KEY: _, ...rest } = BEHIND_SIDECAR;
  const env = {
    ...rest,
    SABIKA_KEY_SERVICE: "aws-kms",
    AWS_REGION: "me-central-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "planted-secret",
  };
  const { kms, masterKeys } = await readSettings(env);
  assertEquals([kms?.endpoint, kms?.aliasPrefix, masterKeys], [
    "https://kms.me-central-1.amazonaws.com",
    "alias/sabika/production/",
    undefined,
  ]);
  // With both, the file opens what it sealed before.
  assertEquals((await readSettings({ ...env, ...BEHIND_SIDECAR })).masterKeys?.currentId, "k1");
  // Whoever took the master keys away need not change the settings.
  const gone = { SABIKA_MASTER_KEY_FILE: "/nowhere/master.key" };
  assertEquals((await readSettings({ ...env, ...gone })).masterKeys, undefined);
  const wrong = [
    [{ ...gone, SABIKA_KEY_SERVICE: "file" }, "SABIKA_MASTER_KEY_FILE"],
    [{ SABIKA_KEY_SERVICE: "vault" }, "file or aws-kms"],
    [{ AWS_REGION: "" }, "AWS_REGION is missing"],
    [{ AWS_ENDPOINT_URL_KMS: "http://kms.example" }, "https"],
  ] as const;
  for (const [change, words] of wrong) {
    await refuses(words, () => readSettings({ ...env, ...change }));
  }
});

test("readSettings() reads the files of the server's own TLS, and keys from files", async () => {
  const { SABIKA_EDGE_SECRET_FILE: _, SABIKA_MASTER_KEY: __, ...rest } = BEHIND_SIDECAR;
  const settings = await readSettings({
    ...rest,
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_LISTEN: "[::1]:8443",
    SABIKA_TLS_CERTIFICATE_FILE: await file("tls.crt", "certificate"),
    SABIKA_TLS_KEY_FILE: await file("tls.key", "key"),
    SABIKA_CLIENT_CA_FILE: await file("ca.crt", "authority"),
    SABIKA_MASTER_KEY_FILE: await file("master.key", `${masterKey}\n`),
  });
  assertEquals(settings.listen, {
    kind: "tls",
    host: "::1",
    port: 8443,
    certificatePem: "certificate",
    keyPem: "key",
    clientCaPem: "authority",
  });
});

test("readSettings() says in one line what is missing or wrong", async () => {
  const cases: [Record<string, string | undefined>, string][] = [
    [{ SABIKA_ENVIRONMENT: undefined }, "SABIKA_ENVIRONMENT"],
    [{ SABIKA_BASE_URL: undefined }, "SABIKA_BASE_URL"],
    [{ SABIKA_BASE_URL: "https://user@api.sabika.example" }, "SABIKA_BASE_URL"],
    [{ SABIKA_DATABASE_URL: undefined }, "SABIKA_DATABASE_URL"],
    [{ SABIKA_MASTER_KEY: undefined }, "SABIKA_MASTER_KEY"],
    [{ SABIKA_MASTER_KEY: "" }, "SABIKA_MASTER_KEY"],
    [{ SABIKA_LISTEN: undefined }, "SABIKA_LISTEN"],
    [{ SABIKA_EDGE_SECRET_FILE: undefined }, "SABIKA_EDGE_SECRET_FILE"],
    [{ SABIKA_TLS_CERTIFICATE_FILE: "/tls.crt" }, "either"],
    [{ SABIKA_WATCH_LISTEN: "[::]:9464" }, "SABIKA_WATCH_ALLOW_REMOTE"],
    [{ SABIKA_ACCES_LOG: "none" }, "did you mean SABIKA_ACCESS_LOG?"],
  ];
  for (const [change, words] of cases) {
    await refuses(words, () => readSettings({ ...BEHIND_SIDECAR, ...change }));
  }
});

test("a value that the table of settings refuses is refused in production, in one line", async () => {
  for (const [name, { refused = [] }] of Object.entries<Setting>(SETTINGS)) {
    for (const value of refused) {
      const { SABIKA_EDGE_SECRET_FILE, ...rest } = BEHIND_SIDECAR;
      const base = name.startsWith("SABIKA_TLS_")
        ? { ...rest, SABIKA_LISTEN: "[::1]:0" }
        : { ...rest, SABIKA_EDGE_SECRET_FILE };
      const error = await readSettings({ ...base, [name]: value })
        .then(checkProductionSettings).catch((reason: unknown) => reason);
      assert(error instanceof SettingsError, `${name}=${value} is taken`);
      assertEquals(error.message.includes("\n"), false);
    }
  }
});

test("SABIKA_WATCH_LISTEN may be where others reach it only when that is declared", async () => {
  const watchAt = async (text: string, allow?: string) =>
    (await readSettings({
      ...BEHIND_SIDECAR,
      SABIKA_WATCH_LISTEN: text,
      SABIKA_WATCH_ALLOW_REMOTE: allow,
    })).watch;
  assertEquals(await watchAt("unix:/run/watch.sock"), { path: "/run/watch.sock" });
  assertEquals(await watchAt("[::1]:9464"), { host: "::1", port: 9464 });
  assertEquals(await watchAt("0.0.0.0:9464", "true"), { host: "0.0.0.0", port: 9464 });
  await assertRejects(() => watchAt("10.0.0.7:9464", "false"), SettingsError);
});

test("a secret's file that others can read is refused in production, noted in a sandbox", async () => {
  const { SABIKA_MASTER_KEY: _, ...rest } = BEHIND_SIDECAR;
  const path = await file("open.key", `${masterKey}\n`);
  const settingsWith = (SABIKA_ENVIRONMENT: string) =>
    readSettings({ ...rest, SABIKA_ENVIRONMENT, SABIKA_MASTER_KEY_FILE: path });
  for (const mode of [0o600, 0o400]) {
    await chmod(path, mode);
    assertEquals((await settingsWith("production")).openSecretFiles, []);
  }
  for (const mode of [0o644, 0o604, 0o660, 0o620]) {
    await chmod(path, mode);
    const { openSecretFiles } = await settingsWith("sandbox");
    assertEquals(openSecretFiles?.length, 1);
    assertStringIncludes(openSecretFiles![0]!, `SABIKA_MASTER_KEY_FILE: ${path} has mode 0`);
    await assertRejects(() => settingsWith("production"), SettingsError, openSecretFiles![0]!);
  }
});
