import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { SettingsError } from "@sabika/terms/settings";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { readNotificationSettings } from "./settings.ts";

const SECRET = `whsec_${btoa("a secret of this test, 32 bytes.")}`;
const MAIL = {
  SABIKA_MAIL_SERVER: "smtps://mail.bank.example",
  SABIKA_MAIL_FROM: "gold@bank.example",
};

test("a mail server is set with its sender, and with a login or without", async () => {
  assertEquals((await readNotificationSettings({}, "production")).mail, undefined);
  const { mail } = await readNotificationSettings(MAIL, "production");
  assertEquals([mail?.server.href, mail?.from, mail?.login], [
    MAIL.SABIKA_MAIL_SERVER,
    MAIL.SABIKA_MAIL_FROM,
    undefined,
  ]);
  const file = join(temporaryFolder(), "password");
  await writeFile(file, "of-a-test\n");
  const login = { SABIKA_MAIL_USER: "gold", SABIKA_MAIL_PASSWORD_FILE: file };
  const withLogin = await readNotificationSettings({ ...MAIL, ...login }, "production");
  assertEquals(withLogin.mail?.login, { user: "gold", password: "of-a-test" });
});

test("settings that cannot work are refused", async () => {
  const wrong: Record<string, string>[] = [
    { SABIKA_MAIL_FROM: "gold@bank.example" },
    { SABIKA_MAIL_SERVER: "smtps://mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_FROM: "gold" },
    { ...MAIL, SABIKA_MAIL_SERVER: "http://mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_SERVER: "smtps://user:word@mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_USER: "gold" },
    { SABIKA_NOTIFY_WEBHOOK_URL: "https://hooks.bank.example/told" },
    { ...await webhook("http://hooks.bank.example/told") },
    { ...await webhook("https://127.0.0.1:9000/told") },
    { ...await webhook("https://hooks.bank.example/told", "not a secret") },
    { ...await webhook("https://hooks.bank.example/told", `whsec_${btoa("short")}`) },
    { SABIKA_RESERVE_LOW_GRAMS: "little" },
  ];
  for (const env of wrong) {
    await assertRejects(() => readNotificationSettings(env, "production"), SettingsError);
  }
});

test("the operator's webhook is set with its secrets, and little gold in grams", async () => {
  const env = await webhook("https://hooks.bank.example/told", `${SECRET}\n\n${SECRET}\n`);
  const { webhook: set, reserveLowMicrograms } = await readNotificationSettings(env, "production");
  assertEquals(set, { url: "https://hooks.bank.example/told", secrets: [SECRET, SECRET] });
  assertEquals(reserveLowMicrograms, 1_000_000_000n);
  const sandbox = await readNotificationSettings(
    await webhook("https://127.0.0.1:9000/told"),
    "sandbox",
  );
  assertEquals(sandbox.webhook?.secrets, [SECRET]);
});

async function webhook(url: string, secrets = SECRET): Promise<Record<string, string>> {
  const file = join(temporaryFolder(), "secrets");
  await writeFile(file, secrets);
  return { SABIKA_NOTIFY_WEBHOOK_URL: url, SABIKA_NOTIFY_WEBHOOK_SECRET_FILE: file };
}
