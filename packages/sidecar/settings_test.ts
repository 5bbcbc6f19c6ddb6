import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "./limits.ts";
import { completeSettings, readSettings } from "./settings.ts";

const SMALLEST = "folder: /srv/sidecar\nserverNames: [api.bank.example]\n";

test("readSettings() fills in careful defaults for all that two lines leave open", () => {
  const settings = readSettings(SMALLEST);
  assertEquals(settings.environment, "production");
  assertEquals(settings.listen, "0.0.0.0:8443");
  assertEquals(settings.watch, "127.0.0.1:9902");
  assertEquals(settings.socketFolder, "/srv/sidecar/run");
  assertEquals(settings.limits, DEFAULT_LIMITS);
});

test("readSettings() names the member that is wrong, missing or unknown", () => {
  const wrong: Record<string, string> = {
    "serverNames: [a]": "folder",
    "folder: relative\nserverNames: [a]": "folder",
    "folder: /a": "serverNames",
    "folder: /a\nserverNames: []": "serverNames",
    "folder: /a\nserverNames: ['a b']": "serverNames",
    [SMALLEST + "listen: 8443"]: "listen",
    [SMALLEST + "listen: ':99999'"]: "listen",
    [SMALLEST + "environment: test"]: "environment",
    [SMALLEST + "instances: [{address: 'unix:relative'}]"]: "instances.address",
    [SMALLEST + "limits: {bodyBytes: 0}"]: "limits.bodyBytes",
    [SMALLEST + "limits: {bodyBites: 1}"]: "limits.bodyBites",
    [SMALLEST + "port: 1"]: "port",
    [`folder: /${"a".repeat(110)}\nserverNames: [a]`]: "socketFolder",
    "- a": "0",
    "text": "the file",
  };
  for (const [text, member] of Object.entries(wrong)) {
    const error = assertThrows(() => readSettings(text), RangeError);
    assert(error.message.startsWith(member), `${text} → ${error.message}`);
  }
  assertThrows(() => readSettings("folder: ["), SyntaxError);
});

test("the time limits fit together, so that 408 always means not carried out", () => {
  const { limits } = completeSettings({ folder: "/a", serverNames: ["a"] });
  assert(limits.headersSeconds <= limits.requestSeconds);
  assert(limits.upstreamIdleSeconds < 75, "the service closes idle connections after 75 s");
  assert(limits.idleSeconds > 76, "kept connections survive the pauses of F23");
});
