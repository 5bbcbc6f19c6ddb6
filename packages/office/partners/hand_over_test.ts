import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { PASSPHRASE } from "@sabika/identity/keys";
import { readHandOver } from "./hand_over.ts";

const codeOf = async (baseUrl: string | undefined, to: string | undefined) => {
  const read = await readHandOver({ baseUrl }, to);
  return read.ok ? "ok" : read.code;
};

test("a kit is encrypted for an age recipient or a passphrase, where its address is known", async () => {
  const url = "https://sabika.test";
  assertEquals(await codeOf(url, PASSPHRASE), "ok");
  assertEquals(await codeOf(url, "age1typing"), "invalid_recipient");
  assertEquals(await codeOf(undefined, PASSPHRASE), "invalid_setting");
  assertEquals(await codeOf(undefined, undefined), "ok");
});
