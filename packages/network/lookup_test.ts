import { after, test } from "node:test";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { LookupFunction } from "node:net";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { listen } from "../../test/support/listen.ts";
import { openNameServer } from "../../test/support/name_server.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { createLookup, lookup } from "./lookup.ts";
import { createPlainFetch } from "./plain_fetch.ts";
import { readSearchList, wholeNames } from "./system_names.ts";

const folder = temporaryFolder();
const [hostsFile, resolvFile] = [join(folder, "hosts"), join(folder, "resolv.conf")];
await writeFile(hostsFile, "127.0.0.1 localhost\n192.0.2.1\tPrices gold # 192.0.2.9 not-this\n");
await writeFile(resolvFile, "nameserver 192.0.2.53\nsearch shop.internal. internal\n");

const ADDRESSES: Record<string, number[]> = {
  "postgres.internal": [192, 0, 2, 2],
  "feed.example.com": [192, 0, 2, 3],
};
const names = await openNameServer((name) => ADDRESSES[name] ?? null);
after(() => names.close());

/** The addresses of a name, or the code of the failure. */
const ask = (lookup: LookupFunction, name: string, family = 0) =>
  new Promise<string[] | string>((resolve) =>
    lookup(name, { all: true, family }, (error, found) => {
      if (error) resolve(error.code ?? error.message);
      else resolve((found as { address: string }[]).map(({ address }) => address));
    })
  );

test("a name is resolved by the hosts file, then by the DNS along the search list", async () => {
  const local = createLookup({ servers: [names.server], hostsFile, resolvFile });
  assertEquals(await ask(local, "localhost"), ["127.0.0.1"]);
  assertEquals(await ask(local, "prices"), ["192.0.2.1"]);
  assertEquals(await ask(local, "GOLD"), ["192.0.2.1"]);
  assertEquals(names.queried.size, 0);
  assertEquals(await ask(local, "postgres"), ["192.0.2.2"]);
  assertEquals([...names.queried.keys()], ["postgres.shop.internal", "postgres.internal"]);
  assertEquals(await ask(local, "feed.example.com"), ["192.0.2.3"]);
  assertEquals(names.queried.has("feed.example.com.internal"), false);
  assertEquals(await ask(local, "not-this"), "ENOTFOUND");
  assertEquals(await ask(local, "prices", 6), "ENOTFOUND");
});

test("a name server that does not answer is a temporary failure", async (t) => {
  const silent = await openNameServer(() => undefined);
  t.after(() => silent.close());
  const local = createLookup({ servers: [silent.server], timeoutMs: 100, hostsFile, resolvFile });
  assertEquals(await ask(local, "feed.example.com"), "EAI_AGAIN");
  assertEquals(silent.queried.size, 1);
});

test("localhost is this machine, even without a hosts file", async () => {
  const none = join(folder, "none");
  const local = createLookup({ servers: [names.server], hostsFile: none, resolvFile: none });
  assertEquals(await ask(local, "localhost"), ["127.0.0.1", "::1"]);
  assertEquals((await ask(lookup, "localhost")).includes("127.0.0.1"), true);
});

test("unqualified names are tried in the order of resolv.conf(5)", () => {
  const list = readSearchList("# x\ndomain a\nsearch b c. ; d\noptions timeout:1 ndots:2\n");
  assertEquals(list, { domains: ["b", "c"], ndots: 2 });
  assertEquals(wholeNames("x.y", list), ["x.y.b", "x.y.c", "x.y"]);
  assertEquals(wholeNames("x.y.z", list), ["x.y.z", "x.y.z.b", "x.y.z.c"]);
  assertEquals(wholeNames("x.", list), ["x"]);
  assertEquals(wholeNames("x", readSearchList("")), ["x"]);
});

test("a GET goes to the address that the lookup returns, and asks for no compression", async (t) => {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.host, String(request.headers["accept-encoding"]));
    response.end("485");
  });
  const port = await listen(server);
  ADDRESSES["here.example.com"] = [127, 0, 0, 1];
  const lookup = createLookup({ servers: [names.server], hostsFile, resolvFile });
  const get = (signal: AbortSignal) =>
    createPlainFetch({ lookup })(`http://here.example.com:${port}/x`, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal,
    });
  t.after(() => server.close());
  const answer = await get(AbortSignal.timeout(5_000));
  assertEquals([answer.status, await answer.text()], [200, "485"]);
  assertEquals(heard, [`here.example.com:${port}`, "identity"]);
  const refused = await get(AbortSignal.abort(new Error("given up"))).catch(String);
  assertEquals(refused, "Error: given up");
});
