import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { once } from "node:events";
import process from "node:process";
import { readFeedSettings, setPriceOrigin } from "@sabika/service/prices";
import { freePort } from "../../tools/programs/free_port.ts";
import { startProgram } from "../../tools/programs/own_process.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { codeOf } from "../../test/support/answers.ts";
import { signed, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { openNameServer } from "../../test/support/name_server.ts";
import { ownTlsEnvironment } from "../../test/support/server/server_process.ts";

// A server process with one thread for signatures (UV_THREADPOOL_SIZE=1): nothing that waits for
// others may ever hold it.

const ORDERS = 24;

const service = await startTestService();
const [bank] = service.partners;
const names = await openNameServer(() => undefined);
const folder = temporaryFolder();
const port = await freePort();
const environment = {
  ...await ownTlsEnvironment(service, folder, port),
  UV_THREADPOOL_SIZE: "1",
  SABIKA_TEST_NAME_SERVER: names.server,
};

test("orders are verified and executed while the price feed's name is being resolved", async () => {
  const token = await service.token(bank);
  const caller = service.caller(bank);
  // While the price is still the fixed one.
  const quotes = await Promise.all(Array.from({ length: ORDERS }, async () => {
    const quoting = write("/v1/quotes", token, '{"side":"buy","gold_grams":0.5}');
    return JSON.parse((await sendRaw(caller, quoting)).body).id;
  }));
  const feed = readFeedSettings({ url: "https://prices.example.com/xau", path: "$.mid" });
  assert(typeof feed !== "string");
  assert((await setPriceOrigin(service.admin, { source: "feed", feed })).ok);
  const child = startProgram("test/support/server/deaf_names_main.ts", environment);
  child.stderr.pipe(process.stderr);
  after(async () => {
    child.kill("SIGKILL");
    names.close();
    await service.close();
  });
  let output = "";
  const serving = new Promise<void>((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("serving")) resolve();
    })
  );
  // Only a server that asks over the network, by its own lookup, reaches the name server here.
  await Promise.race([
    Promise.all([serving, names.firstQuery]),
    once(child, "exit").then(() => Promise.reject(new Error("the server ended"))),
  ]);
  assert(names.queried.has("prices.example.com"));

  const funding = write("/sandbox/fund", token, '{"amount_sar":100000}');
  assertEquals(codeOf(await sendRaw(caller, funding)), "ok");
  const codes = await Promise.all(quotes.map(async (id) => {
    const order = await signed(bank, "/v1/orders", token, JSON.stringify({ quote_id: id }));
    return codeOf(await sendRaw({ ...caller, port }, order));
  }));
  assertEquals(codes, Array.from({ length: ORDERS }, () => "ok"));
  // Nobody has answered the question, and the server would wait ten minutes for it.
  assertEquals(output, "serving\n");
});
