import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  ATTESTATION_KEYS,
  commitBalances,
  publicJwk,
  PUBLISHED_RESERVE,
  RESERVE,
  type Reserve,
  RESERVE_OPENING,
  reserveHash,
  thumbprint,
} from "@sabika/protocol";
import { captureIo } from "../../../test/support/captured_io.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { makeKeys } from "../../../test/support/test_keys.ts";
import { run } from "./run.ts";

const folder = temporaryFolder();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const verify = (...args: string[]) => command("verify", "reserve", ...args);
const sign = (...args: string[]) => command("sign", "reserve", ...args);

async function command(...args: string[]) {
  const { io, read } = captureIo();
  return { code: await run(args, io), output: read().output };
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
const READ: Reserve = {
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
};
const TEXT = RESERVE.write(READ);
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
    output: '{"ok":true,"day":"2026-11-20","attested":false,"attested_by":null,"faults":[]}',
  });
});

test("verify reserve names what was altered", async () => {
  const other = await file(
    "other.json",
    RESERVE_OPENING.write({ ...OPENINGS[0]!, cashHalalas: 4n }),
  );
  assertEquals(await verify(reserve, "--mine", other, "--json"), {
    code: 1,
    output:
      '{"ok":false,"day":"2026-11-20","attested":false,"attested_by":null,"faults":["not_committed"]}',
  });
  const less = PUBLISHED_RESERVE.write({ ...published, text: TEXT.replace("0.14", "0.13") });
  assertEquals(
    (await verify(await file("less.json", less), "--openings", openings, "--json")).output,
    '{"ok":false,"day":"2026-11-20","attested":false,"attested_by":null,"faults":["other_hash","cash_differs"]}',
  );
  assertEquals((await verify(await file("none.json", "{}"))).code !== 0, true);
});

test("sign reserve signs what holds and nothing else; verify reserve says whose signature it is", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const { x, y, kty, crv } = await publicJwk(publicKey);
  const keyId = await thumbprint({ kty, crv, x, y });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey)).toString("base64");
  const key = await file(
    "auditor.pem",
    `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  );
  const signs = [reserve, "--openings", openings, "--key", key];
  const out = join(folder, "attestation");
  assertEquals(await sign(...signs, "--out", out), {
    code: 0,
    output:
      `day          2026-11-20\nSHA-256      ${published.hash}\npartners     2\nkey          ${keyId}`,
  });
  assertEquals((await sign(...signs, "--out", out)).output, `${out} cannot be written (EEXIST)`);

  const holder = { keyId, x, y, holder: "Najd Auditors", validFromMs: 0, validUntilMs: null };
  const keysOf = (role: "auditor" | "inspector") =>
    file(`${role}.json`, ATTESTATION_KEYS.write([{ ...holder, role }]));
  const checked = ["--attestation", out, "--attestation-keys"];
  const { code, output } = await verify(reserve, ...checked, await keysOf("auditor"));
  assertEquals([code, /auditor +Najd Auditors/.test(output)], [0, true], output);
  const other = await verify(reserve, ...checked, await keysOf("inspector"), "--json");
  assertEquals(JSON.parse(other.output).faults, ["attestation_other_role"]);

  const less = await file("few", `${RESERVE_OPENING.write(OPENINGS[0]!)}\n`);
  const refused = await sign(reserve, "--openings", less, "--key", key);
  assertEquals(
    [refused.code, /^openings_missing: [^]*\nnothing was signed$/.test(refused.output)],
    [
      1,
      true,
    ],
  );
  const text = RESERVE.write({ ...READ, previous: published.hash });
  const next = await file(
    "next.json",
    PUBLISHED_RESERVE.write({
      ...published,
      text,
      hash: await reserveHash(text),
    }),
  );
  const signsNext = [next, ...signs.slice(1)];
  assertEquals(await sign(...signsNext), {
    code: 1,
    output: "the reserve of the day before is needed: --before FILE",
  });
  assertEquals((await sign(...signsNext, "--before", next)).code, 1);
  const jws = await sign(...signsNext, "--before", reserve);
  assertEquals([jws.code, jws.output.split("\n", 1)[0]!.split(".").length], [0, 3]);
});
