/** What makes doors differ from each other; each check has its own tests. */
import { test } from "node:test";
import { PassThrough } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { assertEquals } from "@std/assert";
import type { Register } from "@sabika/service/partners";
import { signRequest } from "@sabika/protocol";
import { testIssuer } from "../../../test/support/test_issuer.ts";
import { ReceivedCall } from "../call/received_call.ts";
import { issueToken } from "../tokens/issue_token.ts";
import { createDoors } from "./doors.ts";

const NOW_MS = 1_795_167_000_000;
const hashHex = "ab".repeat(32);
const { issuer, keys } = await testIssuer(() => NOW_MS);
const limit = { perSecond: 100, burst: 100 };
const partner = {
  partnerId: 1,
  clientId: "bank-a",
  status: "active",
  cellId: "main",
  addresses: [],
  signingKeys: [{ keyId: "s1", ...keys, validFromMs: 0, validUntilMs: null }],
  settings: {
    rateLimits: { read: limit, write: limit, signed: limit, token: limit, nonces: limit },
  },
};
const certificate = {
  hashHex,
  scopes: ["read", "trade"],
  validFromMs: 0,
  validUntilMs: null,
  revokedAtMs: null,
};
let isFresh = true;
const doors = createDoors({
  issuer,
  register: {
    byCertificate: () => ({ partner, certificate }),
    isFresh: () => isFresh,
    refresh: () => Promise.reject(new Error("away")),
  } as unknown as Register,
  isServing: () => true,
  onFailedVerification: () => {},
});
const token = await issueToken(issuer, "bank-a", hashHex, ["read", "trade"]);

/** Sends a POST with these headers to a door; returns "ok" or the refusal's code. */
async function codeAt(door: keyof typeof doors, target: string, headers: Record<string, string>) {
  const incoming = Object.assign(new PassThrough(), {
    method: "POST",
    url: target,
    headers,
    rawHeaders: Object.entries(headers).flat(),
  });
  incoming.end("{}");
  const made = incoming as unknown as IncomingMessage;
  const call = new ReceivedCall(made, {} as ServerResponse, NOW_MS, "req_1", target);
  call.peer = { certificateHash: hashHex, address: "192.0.2.1" };
  const passed = await doors[door].pass(call);
  return passed.ok ? "ok" : passed.code;
}

test("a sandbox's money needs no token, but one that is sent has to be right", async () => {
  const headers = { "content-type": "application/json", "idempotency-key": "k1" };
  const codeWith = (more: Record<string, string>) =>
    codeAt("fund", "/sandbox/fund", { ...headers, ...more });
  assertEquals(await codeWith({}), "ok");
  assertEquals(await codeWith({ authorization: `Bearer ${token}` }), "ok");
  assertEquals(await codeWith({ authorization: "Bearer x" }), "token_invalid");
});

test("a register that is too old keeps calls from all doors but that of /health", async () => {
  isFresh = false;
  assertEquals(await codeAt("health", "/health", {}), "ok");
  for (const door of ["documents", "unknown"] as const) {
    assertEquals(await codeAt(door, "/docs", {}), "service_unavailable", door);
  }
  isFresh = true;
});

test("timestamps are compared with the service's time where no sandbox's clock was set forward", async () => {
  const codeOf = async (timestampSeconds: number) => {
    const signed = await signRequest({
      method: "POST",
      url: "https://sabika.test/v1/signed-probe",
      body: new TextEncoder().encode("{}"),
      privateKey: keys.privateKey,
      timestampSeconds,
      nonce: crypto.randomUUID(),
    });
    return await codeAt("probe", "/v1/signed-probe", {
      authorization: `Bearer ${token}`,
      ...signed,
    });
  };
  assertEquals(await codeOf(NOW_MS / 1000 - 300), "ok");
  assertEquals(await codeOf(NOW_MS / 1000 - 301), "timestamp_out_of_window");
});
