import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  commitBalances,
  PUBLISHED_RESERVE,
  RESERVE,
  RESERVE_OPENING,
  reserveHash,
} from "@sabika/protocol";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import type { Io } from "./io.ts";
import { run } from "./run.ts";

const folder = temporaryFolder();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function verify(...args: string[]) {
  const lines: string[] = [];
  const io: Io = {
    print: (line) => lines.push(line),
    printError: (line) => lines.push(line),
    colours: false,
    readInput: () => Promise.resolve(""),
    askSecret: () => Promise.resolve(undefined),
    now: () => 0,
    interrupted: new AbortController().signal,
  };
  return { code: await run(["verify", "reserve", ...args], io), output: lines.join("\n") };
}

const opening = (partner: string, cashHalalas: bigint) => ({
  partner,
  cashHalalas,
  goldMicrograms: 7n,
  day: "2026-11-20",
  pool: "main",
  salt: partner.repeat(64),
});
const OPENINGS = [opening("a", 5n), opening("b", 9n)];
const TEXT = RESERVE.write({
  day: "2026-11-20",
  previous: null,
  commitments: (await Promise.all(OPENINGS.map(commitBalances))).sort(),
  cash: { bankHalalas: null, inTransitHalalas: 0n, obligationsHalalas: 14n },
  pools: [{
    id: "main",
    version: 1,
    fineMicrograms: 14n,
    obligationsMicrograms: 14n,
    count: null,
  }],
});
const published = {
  text: TEXT,
  hash: await reserveHash(TEXT),
  signature: null,
  attestation: null,
  isAttested: false,
};
const reserve = await file("reserve.json", PUBLISHED_RESERVE.write(published));
const mine = await file("mine.json", RESERVE_OPENING.write(OPENINGS[0]!));
const openings = await file(
  "all",
  OPENINGS.map((one) => `${RESERVE_OPENING.write(one)}\n`).join(""),
);

test("verify reserve says what holds, and what nobody signed, entered or gave", async () => {
  assertEquals(await verify(reserve, "--mine", mine), {
    code: 0,
    output: "genuine: 2026-11-20\nsignature    unsigned\nauditor      unattested\n" +
      "bank         nobody entered its balance\nnot checked  previous",
  });
  assertEquals(await verify(reserve, "--openings", openings, "--json"), {
    code: 0,
    output: '{"ok":true,"day":"2026-11-20","attested":false,"faults":[]}',
  });
});

test("verify reserve names what was altered", async () => {
  const other = await file(
    "other.json",
    RESERVE_OPENING.write({ ...OPENINGS[0]!, cashHalalas: 4n }),
  );
  assertEquals(await verify(reserve, "--mine", other, "--json"), {
    code: 1,
    output: '{"ok":false,"day":"2026-11-20","attested":false,"faults":["not_committed"]}',
  });
  const less = PUBLISHED_RESERVE.write({ ...published, text: TEXT.replace("0.14", "0.13") });
  assertEquals(
    (await verify(await file("less.json", less), "--openings", openings, "--json")).output,
    '{"ok":false,"day":"2026-11-20","attested":false,"faults":["other_hash","cash_differs"]}',
  );
  assertEquals((await verify(await file("none.json", "{}"))).code !== 0, true);
});
