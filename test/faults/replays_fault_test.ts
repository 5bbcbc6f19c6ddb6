/** F29 to F32, I7: a signed request passes once, whatever crashes in between. */
import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "@sabika/protocol";
import type { RawRequest } from "../support/raw_https.ts";
import { type Caller, idOf } from "./caller.ts";
import { findBreaches } from "./invariants.ts";
import { crash } from "./postgresql_processes.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let bank: Caller;
let other: Caller;

before(async () => {
  world = await openWorld();
  bank = await world.admit({ cashRiyals: 1_000_000 });
  other = await world.admit({ cashRiyals: 1_000_000 });
});
after(() => world?.close());

async function anOrder(caller: Caller = bank, nonce: string = crypto.randomUUID()) {
  const quoted = await caller.write("quote", '{"side":"buy","gold_grams":0.1}');
  const body = `{"quote_id":"${idOf(quoted)}"}`;
  return await caller.request("order", body, { signing: { nonce } });
}

/** The same request under another Idempotency-Key, which is not part of what is signed. */
function underNewKey(request: RawRequest): RawRequest {
  return changed(request, "idempotency-key", () => crypto.randomUUID());
}

function changed(request: RawRequest, name: string, change: (value: string) => string): RawRequest {
  const headers = request.headers.map(([key, value]) =>
    [key, key.toLowerCase() === name ? change(value) : value] as const
  );
  return { ...request, headers };
}

async function send(request: RawRequest, instance: number, caller: Caller = bank) {
  const { status, code } = await caller.send(request, { instance });
  return [status, code];
}

const REUSED = [401, "nonce_reused"];

test("the same bytes at both instances at once, 50 times: one passes (F29)", async () => {
  const request = await anOrder();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => send(n === 0 ? request : underNewKey(request), n % 2)),
  );
  assertEquals(answers.filter(([status]) => status === 201).length, 1);
  assertEquals(answers.filter(([, code]) => code === "nonce_reused").length, 49);
});

test("the signature's twin (s → n − s) is the same nonce (F30)", async () => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const twin = (text: string) => {
    const [head, , signature] = text.split(".");
    const bytes = decodeBase64Url(signature!)!;
    let s = 0n;
    for (const byte of bytes.subarray(32)) s = s * 256n + BigInt(byte);
    let rest = order - s;
    const mirrored = Uint8Array.from(bytes);
    for (let at = 63; at >= 32; at--, rest /= 256n) mirrored[at] = Number(rest % 256n);
    return `${head}..${encodeBase64Url(mirrored)}`;
  };
  for (const twinFirst of [false, true]) {
    const request = await anOrder();
    const mirrored = changed(underNewKey(request), "x-jws-signature", twin);
    const [first, second] = twinFirst ? [mirrored, request] : [request, mirrored];
    assertEquals((await send(first!, 0))[0], 201);
    assertEquals(await send(second!, 1), REUSED);
  }
});

test("another partner's same nonce is another nonce (F32)", async () => {
  const nonce = crypto.randomUUID();
  const [one, two] = [await anOrder(bank, nonce), await anOrder(other, nonce)];
  assertEquals((await send(one, 0))[0], 201);
  assertEquals((await send(two, 0, other))[0], 201);
  assertEquals(await send(underNewKey(two), 1, other), REUSED);
});

test("I7 a nonce stays spent through a crash of the database and of the instances", async () => {
  const good = await anOrder();
  const refused = await bank.request("order", '{"quote_id":"qt_no"}');
  const probe = await bank.request("probe", "{}");
  assertEquals((await send(good, 0))[0], 201);
  assertEquals((await send(refused, 0))[0], 404);
  assertEquals((await send(probe, 0))[0], 200);
  await crash(world.postgresql);
  await world.postgresql.restart();
  await Promise.all(world.instances.map(async (instance) => {
    await instance.kill();
    await instance.start();
  }));
  bank.close();
  for (const instance of [0, 1]) {
    await until(
      async () => (await bank.get("/v1/balances", { instance })).outcome === "ok",
      15_000,
      "it serves",
    );
    for (const request of [good, refused, probe]) {
      assertEquals(await send(underNewKey(request), instance), REUSED);
    }
  }
  assertEquals(await findBreaches(world.database), []);
});
