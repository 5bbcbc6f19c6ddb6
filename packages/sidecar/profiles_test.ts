import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { test } from "node:test";
import { encodeHex } from "@sabika/protocol";
import { pathPattern, PROFILES } from "./profiles.ts";
import { renderWhole } from "./render.ts";
import { completeSettings, readSettings } from "./settings.ts";

const SETTINGS = { folder: "/sidecar", serverNames: ["api.bank.example"] };
const PLAIN = "folder: /sidecar\nserverNames: [api.bank.example]\nprofile: plain\n";
const sandbox = { ...SETTINGS, environment: "sandbox", traces: "127.0.0.1:4318" } as const;

// A change that is meant gets its new digests here; `npm run sidecar -- render --print` before and after it
// shows what it does.
test("the profile sabika is rendered byte for byte as it was (Decision D110)", async () => {
  const registered = [{ partner: "bank-one", addresses: ["192.0.2.0/24"] }];
  assertEquals(
    [
      await sha256(renderWhole(completeSettings(SETTINGS), undefined)),
      await sha256(renderWhole(completeSettings({ ...sandbox, profile: "sabika" }), registered)),
    ],
    [
      "a22cb9cf459b34b78f5cee11d274d0e7fd3c6d69ccbdfee205c3113d29cad7fb",
      "b5cd79e358ed92c8dbe78fd5d2556b5c3ac675361c99acfaba236b3d035b8345",
    ],
  );
});

test("the profile plain has nothing of Sabika's paths, headers and codes", () => {
  const whole = renderWhole(readSettings(PLAIN), undefined);
  for (const word of ["/v1", "/ready }", "x-sabika-edge", "urn:sabika", "req_%", "name: streams"]) {
    assertEquals(whole.includes(word), false, word);
  }
  assertStringIncludes(whole, "tcp_health_check: {}");
});

test("streams, readiness and the names of headers are settings of either profile", () => {
  const whole = renderWhole(
    readSettings(`${PLAIN}streams: [/events]\nready: /healthz\nheaders: {peer: x-real-ip}\n`),
    undefined,
  );
  for (const text of ["cluster: streams", "path: /healthz", "key: x-real-ip"]) {
    assertStringIncludes(whole, text);
  }
  const forwarded = renderWhole(
    readSettings(`${PLAIN}headers: {identity: x-forwarded-client-cert}\n`),
    undefined,
  );
  assertEquals(forwarded.includes('value: "%DOWNSTREAM_PEER_FINGERPRINT_256%"'), false);
});

test("readSettings() names the setting of a service that is wrong", () => {
  const wrong: Record<string, string> = {
    "profile: other": "profile",
    "profile: constructor": "profile",
    "paths: []": "paths",
    "paths: [health]": "paths",
    "paths: [/a/../b]": "paths",
    "paths: [/a*]": "paths",
    "paths: [/*/a]": "paths",
    "paths: ['/a?b']": "paths",
    "streams: [/events/*]": "streams",
    "methods: [get]": "methods",
    "methods: [CONNECT]": "methods",
    "methods: []": "methods",
    "ready: healthz": "ready",
    "headers: {identity: Host}": "headers.identity",
    "headers: {identity: host}": "headers.identity",
    "headers: {peer: authorization}": "headers.peer",
    "headers: {secret: a_b}": "headers.secret",
    "headers: {other: a}": "headers.other",
    "headers: {identity: a, peer: a}": "headers",
  };
  for (const [line, member] of Object.entries(wrong)) {
    const text = `${
      line.startsWith("profile") ? PLAIN.replace(/profile.*\n/, "") : PLAIN
    }${line}\n`;
    const error = assertThrows(() => readSettings(text), RangeError);
    assert(error.message.startsWith(`${member} must`), `${line} → ${error.message}`);
  }
});

test("a path with * means every plain path beneath, and nothing that is read in two ways", () => {
  const pattern = new RegExp(`^${pathPattern("/a.b/*", PROFILES.plain)}$`);
  const matches = (path: string) => pattern.test(path);
  const plain = [
    "/a.b/c",
    "/a.b/c/",
    "/a.b/.well-known",
    "/a.b/c..d",
    "/a.b/%C3%A9%20",
    "/a.b/c:d",
  ];
  assertEquals(plain.filter((path) => !matches(path)), []);
  const unclear = [
    "/aXb/c",
    "/a.b",
    "/a.b/",
    "/a.b//c",
    "/a.b/..",
    "/a.b/../c",
    "/a.b/c;d",
    "/a.b/%2e",
  ]
    .concat("/a.b/%2Fc", "/a.b/%5Cc", "/a.b/%25", "/a.b/%61", "/a.b/%0A", "/a.b/%", "/a.b/é");
  assertEquals(unclear.filter(matches), []);
});

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return encodeHex(new Uint8Array(digest));
}
