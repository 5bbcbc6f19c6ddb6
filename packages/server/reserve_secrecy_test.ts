/** One of three partners cannot learn another's balance from all that it may read (Decision D105). */
import { after, test } from "node:test";
import { createHash } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { OPERATION_LIST } from "@sabika/reference";
import { decodeBase64Url, parseJson, readReserve, RESERVE_OPENING } from "@sabika/protocol";
import { makeReserves } from "@sabika/service/reserves";
import { byForce } from "../../test/support/by_force.ts";
import { postTransfer } from "../../test/support/post_transfer.ts";
import { random } from "../../test/support/random.ts";
import { openRaw } from "../../test/support/raw_https.ts";
import { read, signed, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const service = await startTestService();
after(service.close);
const { database } = service.admin;
const [mine, second] = service.partners;
const third = await service.admit("bank-c");
await service.refresh();
const OTHERS = [second.clientId, third.clientId];

/** Two days ago and earlier, in UTC: those have ended in Riyadh. */
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const [HONEST, UNSALTED, REUSED, OF_DAY] = [dayAgo(5), dayAgo(4), dayAgo(3), dayAgo(2)];

/** Gives small balances, so that all that they can be is tried. */
async function give(partnerId: number, cashHalalas: bigint, goldMicrograms: bigint) {
  const sourceId = crypto.randomUUID();
  const cash = { asset: "SAR", debit: "bank", credit: "cash", sourceKind: "funding" } as const;
  const gold = { asset: "XAU", debit: "allocation", credit: "gold", sourceKind: "order" } as const;
  await database.sql.begin(async (sql) => {
    await postTransfer(sql, { partnerId, sourceId, ...cash, amount: cashHalalas });
    await postTransfer(sql, { partnerId, sourceId, ...gold, amount: goldMicrograms });
  });
}

/** Makes the reserve of a day; `salt` makes the bytes of each salt. */
const reserveOf = (day: string, salt: (length: number) => Uint8Array) =>
  makeReserves(
    { control: database, cells: [database], random: salt },
    Date.parse(day) + 33 * HOUR_MS,
  );

/** Reads everything that a partner may: each operation that reads, with each id that it has seen or can think of. */
async function readEverything(): Promise<Map<string, string>> {
  const token = await service.token(mine);
  const connection = await openRaw(service.caller(mine));
  const answers = new Map<string, string>();
  const get = async (target: string) => {
    if (answers.has(target)) return;
    const { status, body } = await connection.send(read(target, token));
    assert([200, 202, 404].includes(status), `${status} ${target}`);
    answers.set(target, status === 404 ? "" : body);
  };
  const reads = OPERATION_LIST.map(([, operation]) => operation).filter(({ method, replies }) =>
    method === "GET" &&
    !replies.some(({ contents }) => contents.some((one) => one.mediaType === "text/event-stream"))
  );
  for (let before = -1; before < answers.size;) {
    before = answers.size;
    const texts = [...answers.values()].join("\n");
    const known = new Set([
      ...texts.match(/[\w.:-]+/g) ?? [],
      ...Array.from({ length: 7 }, (_, days) => dayAgo(days)),
      ...[mine.clientId, ...OTHERS, "1", "2", "3"],
    ]);
    for (const { path, parameters = [] } of reads) {
      const id = parameters.find((one) => one.in === "path");
      if (id === undefined) await get(path);
      else {
        const { pattern } = id.schema as { pattern?: string };
        const fits = new RegExp(pattern ?? "^.{1,80}$");
        for (const text of known) if (fits.test(text)) await get(path.replace("{id}", text));
      }
    }
  }
  connection.close();
  return answers;
}

/** All 32 bytes that stand in texts: in hex, in base64url, and in the parts of signatures; and hashes of texts. */
function saltsIn(texts: Iterable<string>, days: readonly string[]): Uint8Array[] {
  const hex = new Set<string>(["00".repeat(32)]);
  const add = (text: string): void => {
    for (const [found] of text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) hex.add(found);
    for (const [found] of text.matchAll(/[A-Za-z0-9_-]{43,}/g)) {
      const bytes = decodeBase64Url(found);
      if (bytes?.length === 32) hex.add(Buffer.from(bytes).toString("hex"));
      else if (bytes !== undefined && bytes.length > 32) add(Buffer.from(bytes).toString("utf8"));
    }
  };
  for (const text of texts) add(text);
  for (const text of [...days, ...OTHERS, mine.clientId]) {
    hex.add(createHash("sha256").update(text).digest("hex"));
  }
  return [new Uint8Array(), ...Array.from(hex, (text) => Buffer.from(text, "hex"))];
}

/** Tries every cash and gold that the totals leave for the others, with every salt; returns whose balances it found. */
function search(day: string, answers: ReadonlyMap<string, string>): string[] {
  const published = JSON.parse(answers.get(`/v1/reserves/${day}`)!);
  const reserve = readReserve(JSON.stringify(published.reserve));
  const own = RESERVE_OPENING.read(parseJson(answers.get(`/v1/reserves/${day}/mine`)!));
  const cash = Number(reserve.cash.obligationsHalalas - own.cashHalalas);
  const gold = Number(reserve.pools[0]!.obligationsMicrograms - own.goldMicrograms);
  const commitments = new Set(reserve.commitments);
  const found = new Set<string>();
  for (const salt of saltsIn(answers.values(), [HONEST, UNSALTED, REUSED, OF_DAY])) {
    for (const partner of OTHERS) {
      const prefix = createHash("sha256").update(salt).update(`${partner}\n${day}\n`);
      for (let halalas = 0; halalas <= cash; halalas++) {
        for (let micrograms = 0; micrograms <= gold; micrograms++) {
          const hash = prefix.copy().update(`${halalas}\n${micrograms}\n`).digest("hex");
          if (commitments.has(hash)) found.add(`${partner}: ${halalas}, ${micrograms}`);
        }
      }
    }
  }
  return [...found].sort();
}

test("one of three finds no balance of the others, and finds them where salts are known or used again", async () => {
  const token = await service.token(mine);
  const connection = await openRaw(service.caller(mine));
  const send = async (request: Parameters<typeof connection.send>[0]) => {
    const { status, body } = await connection.send(request);
    assertEquals(status, 201, body);
    return JSON.parse(body);
  };
  await send(write("/sandbox/fund", token, '{"amount_sar":1000.50}'));
  const { id } = await send(write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  await send(await signed(mine, "/v1/orders", token, `{"quote_id":"${id}"}`));
  connection.close();
  await give(second.partnerId, 17n, 9n);
  await give(third.partnerId, 13n, 22n);
  await byForce(
    database,
    "update transfers set posted_at = posted_at - interval '7 days'",
    "update pool_versions set made_at = made_at - interval '7 days'",
  );
  // Those that the service made when it started.
  await byForce(
    database,
    ...["reserve_signatures", "reserve_openings", "reserves"].map((table) =>
      `delete from ${table}`
    ),
  );
  const same = random(32);
  await reserveOf(HONEST, random);
  await reserveOf(UNSALTED, () => new Uint8Array(32));
  await reserveOf(REUSED, () => same.slice());
  await reserveOf(OF_DAY, () => createHash("sha256").update(OF_DAY).digest());

  const answers = await readEverything();
  const kinds = [
    "/v1/vault",
    "/v1/vault/versions/1",
    `/v1/reserves/${HONEST}`,
    `/v1/reserves/${HONEST}/mine`,
  ];
  for (const target of kinds) assert(answers.get(target), target);
  const receipt = [...answers].find(([target, body]) => target.endsWith("/receipt") && body !== "");
  assert(receipt !== undefined, "no receipt");

  assertEquals(search(HONEST, answers), []);
  const both = ["bank-b: 17, 9", "bank-c: 13, 22"];
  for (const day of [UNSALTED, REUSED, OF_DAY]) assertEquals(search(day, answers), both, day);
});
