import { test } from "node:test";
import { spawnSync } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { encodeUtf8, eventToJson, signRequest, signWebhook } from "@sabika/protocol";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { makeTestKit } from "../../../test/support/test_kit.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { openKit } from "../kit.ts";
import type { Io } from "./io.ts";
import { run } from "./run.ts";

const NOW = Date.parse("2026-11-20T09:00:00Z");
const BASE_URL = "https://api.example";
const EVENT_ID = "evt_01932f0e-7c00-7000-8000-000000000001";
const EVENT = eventToJson({
  id: EVENT_ID,
  type: "ping",
  environment: "sandbox",
  sequence: 7,
  timestampMs: NOW,
  objectJson: "{}",
});

const folder = temporaryFolder();
const kit = await makeTestKit(BASE_URL, await createTestAuthority());

/** Starts a command without a terminal. */
function start(args: string[], answers: { input?: string; secret?: string; env?: Io["env"] } = {}) {
  const stopping = new AbortController();
  const lines: string[] = [];
  const watching = new Set<() => void>();
  const print = (line: string) => {
    testRecord.log("sabika-client", line);
    lines.push(line);
    for (const check of watching) check();
  };
  const io: Io = {
    print,
    printError: print,
    colours: false,
    readInput: () => Promise.resolve(answers.input ?? ""),
    askSecret: () => Promise.resolve(answers.secret),
    env: answers.env ?? {},
    now: () => NOW,
    interrupted: stopping.signal,
  };
  return {
    ended: run(args, io),
    lines,
    /** Resolves when a line matches. */
    shows: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!lines.some((line) => pattern.test(line))) return;
          watching.delete(check);
          resolve();
        };
        watching.add(check);
        check();
      }),
    interrupt: () => stopping.abort(),
  };
}

/** Runs a command to its end. */
async function runToEnd(args: string[], answers?: Parameters<typeof start>[1]) {
  const { ended, lines } = start(args, answers);
  return { code: await ended, output: lines.join("\n") };
}

async function webhook(change: { body?: string; timestampMs?: number } = {}) {
  const { body = EVENT, timestampMs = NOW } = change;
  const timestampSeconds = timestampMs / 1000;
  const signature = await signWebhook({
    secrets: [kit.partner.webhook_secret],
    id: EVENT_ID,
    timestampSeconds,
    body: EVENT,
  });
  const headers = {
    "webhook-id": EVENT_ID,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signature,
  };
  return { headers, body };
}

const pasted = ({ headers, body }: { headers: object; body: string }, first = "") =>
  first + Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`).join("") +
  `\n${body}`;

test("wrong usage ends with exit code 2 and points to the command's help", async () => {
  const commands = ["keys", "probe", "flow", "listen", "events", "verify", "trigger"];
  const cases = [
    ...commands.map((name) => [[name, "--nonsense"], "--nonsense", ` ${name}`] as const),
    [["keys", "--client-id", "bank-1"], "--organisation", " keys"],
    [["keys", "--organisation", "One"], "--client-id", " keys"],
    [["trigger", "bad_luck"], "bad_luck", " trigger"],
    [["trigger", "quote_expired", "--on", "GET /v1/prices"], "POST /v1/orders", " trigger"],
    [["buy"], "there is no command buy", ""],
    [[], "a command is needed", ""],
  ] as const;
  for (const [args, message, help] of cases) {
    const { code, output } = await runToEnd([...args]);
    assertEquals(code, 2, output);
    assertStringIncludes(output, message);
    assertStringIncludes(output, `\nsee sabika-client${help} --help`);
  }
});

test("keys makes two keys and their requests, and never overwrites", async () => {
  const out = join(folder, "keys");
  const args = ["keys", "--client-id", "bank-1", "--organisation", "بنك One & Co", "--out", out];
  assertEquals((await runToEnd(args)).code, 0);
  assertEquals((await readdir(out)).sort(), [
    "client.csr",
    "client.key",
    "signing.csr",
    "signing.key",
  ]);
  for (const name of ["client", "signing"]) {
    assertEquals((await stat(join(out, `${name}.key`))).mode & 0o777, 0o600);
    const words = ["req", "-in", join(out, `${name}.csr`), "-verify", "-noout", "-subject"];
    const openssl = spawnSync("openssl", [...words, "-nameopt", "utf8"], { encoding: "utf8" });
    assertEquals(openssl.status, 0, openssl.stderr);
    assertMatch(openssl.stdout, /O ?= ?بنك One & Co, ?CN ?= ?bank-1/);
  }
  const key = await readFile(join(out, "signing.key"), "utf8");
  testRecord.secretsIn(key);
  const again = await runToEnd(args);
  assertEquals(again.code, 1);
  assertStringIncludes(again.output, "client.key is there already: nothing was written");
  assertEquals(await readFile(join(out, "signing.key"), "utf8"), key);
});

test("verify tells whether a pasted webhook is genuine, and warns if it is old", async () => {
  const good = pasted(await webhook(), "> POST /webhooks HTTP/1.1\n");
  const old = pasted(await webhook({ timestampMs: NOW - 900_000 }));
  const altered = pasted(await webhook({ body: EVENT.replace("7", "8") }));
  const cases = [
    [good, 0, `genuine: ${EVENT_ID}`],
    [`${good}\n`, 0, `genuine: ${EVENT_ID}`],
    [old, 0, "sent 900 s ago"],
    [altered, 1, "not genuine: signature_mismatch"],
    ...["", "hello", "content-type: text/plain\n\nhello"].map((text) => [text, 1, ""] as const),
  ] as const;
  for (const [input, code, expected] of cases) {
    const ended = await runToEnd(["verify", "--kit", kit.folder], { input });
    assertEquals(ended.code, code, ended.output);
    assertStringIncludes(ended.output, expected);
  }
});

test("verify takes the webhook secret from a file or a prompt, and shows it nowhere", async () => {
  const input = pasted(await webhook());
  const secret = kit.partner.webhook_secret;
  const file = join(folder, "secret");
  await writeFile(file, `${secret}\n`);
  const cases = [
    [["--secret-file", file], {}],
    [["--kit", folder], { secret }],
  ] as const;
  for (const [args, answers] of cases) {
    const { code, output } = await runToEnd(["verify", ...args], { input, ...answers });
    assertEquals(code, 0, output);
    assert(!output.includes(secret));
  }
  assertEquals((await runToEnd(["verify", "--kit", folder], { input })).code, 1);
});

test("verify checks a signed request, and names what is wrong with it", async () => {
  const { signingKey, signingKeyId } = await openKit(kit.folder);
  const body = '{"quote_id":"qt_1"}';
  const sign = (url: string) =>
    signRequest({
      method: "POST",
      url,
      body: encodeUtf8(body),
      timestampSeconds: NOW / 1000,
      nonce: "0123456789abcdef",
      privateKey: signingKey,
      keyId: signingKeyId,
    });
  const url = `${BASE_URL}/v1/orders`;
  const paste = async (signedUrl: string) =>
    await runToEnd(["verify", "--kit", kit.folder], {
      input: pasted({ headers: await sign(signedUrl), body }, `POST ${url}\n`),
    });
  assertEquals(await paste(url), {
    code: 0,
    output: `the signature fits: key ${signingKeyId}`,
  });
  const wrong = await paste(`${url}/`);
  assertEquals(wrong.code, 1);
  assertStringIncludes(wrong.output, "the signature does not fit: ");
  assertStringIncludes(wrong.output, `what has to be signed:\nPOST\n${url}\n`);
});

test("flow and trigger refuse a production kit", async () => {
  const production = await makeTestKit(BASE_URL, kit.authority);
  const partner = { ...production.partner, environment: "production" };
  await production.write("partner.json", JSON.stringify(partner));
  const env = { SABIKA_KIT: kit.folder, SABIKA_KIT_ENVIRONMENT: "production" };
  for (const args of [["flow"], ["trigger", "lost_answer"], ["flow", "--kit", production.folder]]) {
    const { code, output } = await runToEnd(args, { env });
    assertEquals(code, 1);
    assertStringIncludes(output, "production");
  }
});

test("a missing kit is reported in one line", async () => {
  for (const args of [["probe"], ["flow", "--kit", folder], ["listen", "--kit", folder]]) {
    const { code, output } = await runToEnd(args);
    assertEquals(code, 1);
    assertMatch(output, /partner\.json: it is missing; .*$/);
    assert(!output.includes("\n"));
  }
});

/** Posts a delivery to the listening command. */
async function deliver(url: string, delivery: { headers?: Record<string, string>; body: string }) {
  return await new Promise<number>((resolve, reject) => {
    const options = {
      method: "POST",
      headers: delivery.headers ?? {},
      ca: kit.authority.certificatePem,
    };
    const request = httpsRequest(url, { ...options, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject).end(delivery.body);
  });
}

/** Starts `listen` with a kit that has a receiver's certificate, on a free port. */
async function listen(...args: string[]) {
  const { certificatePem, privateKeyPem } = await kit.authority.issue({ ip: ["127.0.0.1"] });
  await kit.write("receiver.crt", certificatePem);
  await kit.write("receiver.key", privateKeyPem);
  const url = `https://127.0.0.1:${await freePort()}/webhooks`;
  const listening = start(["listen", "--kit", kit.folder, "--url", url, ...args]);
  await Promise.race([listening.shows(/^listening at /), listening.ended]);
  return { url, ...listening };
}

test("listen prints genuine webhooks, refuses others, and ends at Ctrl-C", async () => {
  const { url, lines, ended, interrupt } = await listen("--answer", "500,204");
  const genuine = await webhook();
  assertEquals(await deliver(url, genuine), 500);
  assertEquals(await deliver(url, genuine), 204);
  assertEquals(await deliver(url, { body: EVENT }), 401);
  assertEquals(await deliver(`${url}/else`, genuine), 404);
  const taken = await runToEnd(["listen", "--kit", kit.folder, "--url", url]);
  assertEquals(taken.code, 1);
  assertStringIncludes(taken.output, "something listens there already");
  interrupt();
  assertEquals(await ended, 0);
  assertEquals(lines, [
    `listening at ${url}`,
    "genuine: 7 ping → 500",
    "genuine: 7 ping → 204",
    "not genuine: header_missing → 401",
  ]);
});

test("listen forwards genuine webhooks unchanged, and answers with the target's status", async () => {
  const forwarded: string[] = [];
  const target = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    forwarded.push(String(request.headers["webhook-id"]), body);
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const forward = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
  const { url, ended } = await listen("--forward", forward, "--count", "2");
  assertEquals(await deliver(url, await webhook()), 202);
  assertEquals(forwarded, [EVENT_ID, EVENT]);
  target.close();
  target.closeAllConnections();
  assertEquals(await deliver(url, await webhook()), 502);
  assertEquals(await ended, 0);
});
