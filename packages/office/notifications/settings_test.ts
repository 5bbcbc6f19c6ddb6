import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { SettingsError } from "@sabika/terms/settings";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { readNotificationSettings } from "./settings.ts";

const MAIL = {
  SABIKA_MAIL_SERVER: "smtps://mail.bank.example",
  SABIKA_MAIL_FROM: "gold@bank.example",
};

test("a mail server is set with its sender, and with a login or without", async () => {
  assertEquals((await readNotificationSettings({})).mail, undefined);
  const { mail } = await readNotificationSettings(MAIL);
  assertEquals([mail?.server.href, mail?.from, mail?.login], [
    MAIL.SABIKA_MAIL_SERVER,
    MAIL.SABIKA_MAIL_FROM,
    undefined,
  ]);
  const file = join(temporaryFolder(), "password");
  await writeFile(file, "of-a-test\n");
  const login = { SABIKA_MAIL_USER: "gold", SABIKA_MAIL_PASSWORD_FILE: file };
  const withLogin = await readNotificationSettings({ ...MAIL, ...login });
  assertEquals(withLogin.mail?.login, { user: "gold", password: "of-a-test" });
});

test("mail settings that cannot work are refused", async () => {
  const wrong: Record<string, string>[] = [
    { SABIKA_MAIL_FROM: "gold@bank.example" },
    { SABIKA_MAIL_SERVER: "smtps://mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_FROM: "gold" },
    { ...MAIL, SABIKA_MAIL_SERVER: "http://mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_SERVER: "smtps://user:word@mail.bank.example" },
    { ...MAIL, SABIKA_MAIL_USER: "gold" },
  ];
  for (const env of wrong) {
    await assertRejects(() => readNotificationSettings(env), SettingsError);
  }
});
