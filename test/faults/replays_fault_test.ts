/** F30 to F32, I7: a signed request passes once, whatever crashes in between. */
import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import { decodeBase64Url, encodeBase64Url, NONCE_RETENTION_SECONDS } from "@sabika/protocol";
import { sized } from "../support/sized.ts";
import type { RawRequest } from "../support/raw_https.ts";
import { Caller, idOf } from "../support/history/caller.ts";
import { findBreaches } from "../support/history/watch_books.ts";
import { crash } from "./postgresql_processes.ts";
import { startWithClock } from "./start_with_clock.ts";
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
  return (await caller.prepare("order", body, { signing: { nonce } })).request;
}

/** Replaces a request's Idempotency-Key, which the signature does not cover. */
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
  const { status, code } = await caller.sendRaw(request, { instance });
  return [status, code];
}

const REUSED = [401, "nonce_reused"];

test("the signature with s → n − s uses the same nonce (F30)", async () => {
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

test("the same nonce of another partner is a different nonce (F32)", async () => {
  const nonce = crypto.randomUUID();
  const [first, second] = [await anOrder(bank, nonce), await anOrder(other, nonce)];
  assertEquals((await send(first, 0))[0], 201);
  assertEquals((await send(second, 0, other))[0], 201);
  assertEquals(await send(underNewKey(second), 1, other), REUSED);
});

const HOUR = 3_600;
/** Seconds of signed timestamps in a partition of nonces. */
const PARTITION = 6 * HOUR;

test("a nonce is refused for a day under any timestamp, through housekeeping and crashes (F31)", async () => {
  // The border between two partitions.
  const border = Math.ceil(Date.now() / 1_000 / PARTITION + 1) * PARTITION;
  const nonces = { last: crypto.randomUUID(), first: crypto.randomUUID() };
  let seconds = border - 60;
  const now = () => seconds * 1_000;
  const start = () => Promise.all([0, 1].map(() => startWithClock(world, now)));
  let instances = await start();
  /** Signs a request with a nonce and the current time, and sends it to each instance; returns the codes. */
  async function spend(nonce: string) {
    // A new caller each time, because a token is valid for ten minutes.
    const caller = new Caller(bank.partner, instances.map(({ port }) => port));
    const answers = [];
    for (const instance of [0, 1]) {
      const signing = { nonce, timestampSeconds: seconds };
      answers.push(await caller.write("probe", "{}", { instance, signing }));
    }
    caller.close();
    return answers.map(({ code }) => code);
  }
  /** Does what `maintain_nonce_partitions` would do if the database's clock stood at `seconds`. */
  async function keepHouse() {
    const { sql } = world.database;
    await sql`select make_nonce_partitions(${seconds}::bigint)`;
    await sql`select drop_nonce_partitions(${seconds - NONCE_RETENTION_SECONDS}::bigint)`;
  }
  const reused = ["nonce_reused", "nonce_reused"];
  const spentNow = ["ok", "nonce_reused"];
  assertEquals(await spend(nonces.last), spentNow);
  seconds = border;
  assertEquals(await spend(nonces.first), spentNow);

  const steps = [301, 601, NONCE_RETENTION_SECONDS - 60];
  const every = sized(3 * HOUR, HOUR / 6);
  for (let at = every; at < NONCE_RETENTION_SECONDS; at += every) steps.push(at);
  let hasCrashed = false;
  for (const step of steps.sort((a, b) => a - b)) {
    seconds = border + step;
    await keepHouse();
    if (step >= 12 * HOUR && !hasCrashed) {
      hasCrashed = true;
      await Promise.all(instances.map((instance) => instance.stop()));
      await crash(world.postgresql);
      await world.postgresql.restart();
      instances = await start();
    }
    for (const nonce of Object.values(nonces)) {
      assertEquals(await spend(nonce), reused, `${step} s`);
    }
  }

  // From here on, partitions that ended a day ago are dropped, as Decision D25 allows.
  seconds = border + 25 * HOUR;
  await keepHouse();
  assertEquals([await spend(nonces.last), await spend(nonces.first)], [spentNow, reused]);
  seconds = border + PARTITION + NONCE_RETENTION_SECONDS;
  await keepHouse();
  assertEquals(await spend(nonces.first), spentNow);
  await Promise.all(instances.map((instance) => instance.stop()));
  assertEquals(await findBreaches(world), []);
});
