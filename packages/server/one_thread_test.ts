import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readFeedSettings, setPriceOrigin } from "@sabika/core";
import { freePort } from "../../tools/programs/free_port.ts";
import { sendRaw } from "../../tools/testing/raw_https.ts";
import { codeOf, signed, startTestService, write } from "../../tools/testing/test_service.ts";
import { openNameServer } from "../core/network/testing/name_server.ts";

// A server process with one thread for signatures (UV_THREADPOOL_SIZE=1): nothing that waits for
// others may ever hold it.

const ORDERS = 24;

const service = await startTestService();
const [bank] = service.partners;
const names = await openNameServer(() => undefined);
const folder = await mkdtemp(join(tmpdir(), "sabika-thread-"));
const port = await freePort();
const environment: Record<string, string> = {
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  UV_THREADPOOL_SIZE: "1",
  SABIKA_ENVIRONMENT: "sandbox",
  SABIKA_BASE_URL: "https://sabika.test",
  SABIKA_DATABASE_URL: service.test.url,
  SABIKA_DATABASE_CONNECTIONS: "4",
  SABIKA_MASTER_KEY: service.own.masterKey,
  SABIKA_LISTEN: `127.0.0.1:${port}`,
  SABIKA_TEST_NAME_SERVER: names.server,
};
for (
  const [name, text] of [
    ["SABIKA_TLS_CERTIFICATE_FILE", service.own.certificatePem],
    ["SABIKA_TLS_KEY_FILE", service.own.keyPem],
    ["SABIKA_CLIENT_CA_FILE", service.own.clientCaPem],
  ] as const
) {
  environment[name] = join(folder, name);
  await writeFile(environment[name], text, { mode: 0o600 });
}

test("orders are verified and executed while the price feed's name is being resolved", async () => {
  const feed = readFeedSettings({ url: "https://prices.example.com/xau", path: "$.mid" });
  assert(typeof feed !== "string");
  assert((await setPriceOrigin(service.desk, { source: "feed", feed })).ok);
  const main = fileURLToPath(new URL("./testing/deaf_names_main.ts", import.meta.url));
  const child = spawn("node", ["--import", "tsx", main], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  after(async () => {
    child.kill("SIGKILL");
    names.close();
    await service.close();
    await rm(folder, { recursive: true });
  });
  let said = "";
  const serving = new Promise<void>((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("serving")) resolve();
    })
  );
  // Were it asked in another way than over the network from here, it would be somebody else.
  await Promise.race([
    Promise.all([serving, names.firstAsked]),
    once(child, "exit").then(() => Promise.reject(new Error("the server ended"))),
  ]);
  assert(names.asked.has("prices.example.com"));

  const token = await service.token(bank);
  const here = service.caller(bank);
  const funding = write("/sandbox/fund", token, '{"amount_sar":100000}');
  assertEquals(codeOf(await sendRaw(here, funding)), "ok");
  const codes = await Promise.all(Array.from({ length: ORDERS }, async () => {
    const quoting = write("/v1/quotes", token, '{"side":"buy","gold_grams":0.5}');
    const { id } = JSON.parse((await sendRaw(here, quoting)).body);
    const order = await signed(bank, "/v1/orders", token, JSON.stringify({ quote_id: id }));
    return codeOf(await sendRaw({ ...here, port }, order));
  }));
  assertEquals(codes, Array.from({ length: ORDERS }, () => "ok"));
  // Nobody has answered the question, and the server would wait ten minutes for it.
  assertEquals(said, "serving\n");
});
