/** What the judge says of entries that nobody would let into a log; `audit_signatures_test.ts` has a log. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { importPublicPem, publicJwk } from "@sabika/protocol";
import {
  type ActArguments,
  contentOf,
  makePersonsKey,
  readPersonsKey,
  signAct,
  type SignedAct,
} from "@sabika/identity/signatures";
import type { PublishedKey, RecordedEntry } from "./audit_record.ts";
import { createSignatureJudge } from "./audit_signatures.ts";

const NOW_MS = 1_800_000_000_000;

async function person(operator: string) {
  const { privatePem, publicPem } = await makePersonsKey();
  const key = (await readPersonsKey(privatePem))!;
  const imported = await importPublicPem(publicPem);
  if (!imported.ok) throw new Error(imported.code);
  const published: PublishedKey = {
    operator,
    keyId: key.keyId,
    publicJwk: await publicJwk(imported.key),
    validFromMs: NOW_MS,
    validUntilMs: null,
    rpId: null,
  };
  const sign = (name: string, input: ActArguments = {}, keyId = key.keyId) => {
    const act = { id: crypto.randomUUID(), name, arguments: input };
    return signAct("sandbox", act, { ...key, keyId }, NOW_MS);
  };
  return { operator, published, sign };
}

const [amal, badr] = [await person("amal"), await person("badr")];
const KEYS = [amal.published, badr.published];
let auditId = 0n;

/** An entry of the log, with what was signed for it. */
function entry(
  { operator }: Pick<typeof amal, "operator">,
  action: string,
  act: SignedAct | null,
  detail: object = act === null ? {} : { act: act.id, signature: act.signature },
): RecordedEntry {
  const rest = { at: NOW_MS, partnerId: null, facts: null };
  const hash = { previousHash: new Uint8Array(32), hash: new Uint8Array(32) };
  return {
    ...rest,
    ...hash,
    auditId: ++auditId,
    actor: operator,
    action,
    act,
    detail: JSON.stringify(detail),
  };
}

const added = [amal, badr].map((of) =>
  entry({ operator: "owner" }, "operator.key.add", null, {
    operator: of.operator,
    keyId: of.published.keyId,
  })
);

/** Judges entries after those that added the keys; what is wrong with each, and how many nobody approved. */
async function judge(entries: readonly RecordedEntry[], keys = KEYS, before = added) {
  const judge = createSignatureJudge("sandbox", keys);
  for (const entry of before) assertEquals(await judge.judge(entry), undefined);
  const wrong = [];
  for (const entry of entries) wrong.push(await judge.judge(entry));
  return [...wrong, judge.undecided().length];
}

const pause = await amal.sign("price.pause");
const waits = await amal.sign("price.resume");
const sha256 = await contentOf("sandbox", waits);
const request = entry(amal, "approval.request", waits);
const approve = async (by: typeof amal, input: ActArguments) =>
  entry(by, "approval.approve", await by.sign("approval.approve", input));
const ofWaits = { request: waits.id, sha256 };

test("an act that waited is carried out once another person approved exactly that", async () => {
  const resume = entry(amal, "price.resume", waits);
  const approved = await approve(badr, ofWaits);
  assertEquals(await judge([request, approved, resume]), [undefined, undefined, undefined, 0]);
  assertEquals(await judge([request, resume]), [undefined, undefined, 1]);
  assertEquals(await judge([request, resume, approved]), [undefined, undefined, undefined, 0]);
  const voided = entry(badr, "approval.void", await badr.sign("approval.approve", ofWaits));
  assertEquals(await judge([request, voided]), [undefined, undefined, 0]);
  const cases = [
    [await approve(amal, ofWaits), "amal approved what amal asked for"],
    [
      await approve(badr, { ...ofWaits, sha256: "00" }),
      "it approves something else than was asked for",
    ],
    [await approve(badr, { ...ofWaits, request: pause.id }), "nobody asked for what it approves"],
  ] as const;
  for (const [wrong, message] of cases) {
    assertEquals(await judge([request, wrong, resume]), [undefined, message, undefined, 1]);
  }
});

test("what waited is collected by who asked for it, after it was approved", async () => {
  const approved = await approve(badr, ofWaits);
  const [own, others] = await Promise.all([amal, badr].map(async (by) => {
    const act = await by.sign("price.resume");
    const detail = { act: act.id, signature: act.signature, request: waits.id };
    return entry(by, "approval.collect", act, detail);
  }));
  assertEquals(await judge([request, approved, own!]), [undefined, undefined, undefined, 0]);
  const unapproved = "amal repeats what nobody approved";
  assertEquals(await judge([request, own!]), [undefined, unapproved, 0]);
  assertEquals(await judge([own!]), [unapproved, 0]);
  assertEquals(await judge([request, approved, others!]), [
    undefined,
    undefined,
    "badr repeats what nobody approved",
    0,
  ]);
});

test("a signature is of the entry's own act, by a key of who acted", async () => {
  const cases = [
    [entry(amal, "price.pause", pause), undefined],
    [entry(amal, "price.pause", null, { act: pause.id }), "what was signed is missing"],
    [
      entry(amal, "price.pause", pause, { act: waits.id, signature: pause.signature }),
      "what was signed is another act",
    ],
    [
      entry(amal, "price.pause", pause, { act: pause.id, signature: "x" }),
      "what was signed is another act",
    ],
    [entry(badr, "price.pause", pause), "its key is not badr's"],
    [entry(amal, "price.set", pause), "amal signed price.pause"],
    [
      entry(amal, "price.pause", { ...pause, argumentsText: '{"x":1}' }),
      "its signature is not amal's",
    ],
    [entry(amal, "approval.void", pause), "amal signed price.pause"],
    [entry(amal, "price.pause", null, {}), undefined],
  ] as const;
  for (const [given, message] of cases) {
    assertEquals(await judge([given]), [message, 0], message);
  }
});

test("a key is the one that its id names, valid then, and given to its owner in the log", async () => {
  const given = entry(amal, "price.pause", pause);
  const [key, other] = [amal.published, badr.published];
  const minute = 60_000;
  const cases = [
    [{ validFromMs: NOW_MS + 5 * minute }, undefined],
    [{ validFromMs: NOW_MS + 6 * minute }, "its key was not amal's at that time"],
    [{ validUntilMs: NOW_MS - 5 * minute }, undefined],
    [{ validFromMs: NOW_MS + 301_000 }, undefined],
    [{ validUntilMs: NOW_MS - 301_000 }, undefined],
    [{ validUntilMs: NOW_MS - 6 * minute }, "its key was not amal's at that time"],
    [{ operator: "badr" }, "its key is not amal's"],
    [{ publicJwk: other.publicJwk }, "its signature is not amal's"],
    [{ rpId: "office.example" }, "its signature is not amal's"],
  ] as const;
  for (const [change, message] of cases) {
    assertEquals(
      await judge([given], [{ ...key, ...change }]),
      [message, 0],
      JSON.stringify(change),
    );
  }
  assertEquals(await judge([given], [other]), [`its key ${key.keyId} is nobody's`, 0]);
  assertEquals(await judge([given], KEYS, []), ["its key is not amal's", 0]);
  // The key of another, signed by that key under the id of this one.
  const stolen = await badr.sign("price.pause", {}, key.keyId);
  const twisted = { ...key, publicJwk: other.publicJwk };
  assertEquals(await judge([entry(amal, "price.pause", stolen)], [twisted]), [
    "its signature is not amal's",
    0,
  ]);
});

test("a key is its owner's by an entry that gives keys, and a passkey's by an unused link", async () => {
  const { keyId } = amal.published;
  const given = (action: string, detail: object) =>
    entry({ operator: "owner" }, action, null, detail);
  const to = { operator: "amal", keyId, link_sha256: "ab" };
  const used = entry(amal, "price.pause", pause);
  for (const action of ["operator.key.add", "operator.key.rotate"]) {
    assertEquals(await judge([used], KEYS, [given(action, to)]), [undefined, 0]);
  }
  const notOurs = "its key is not amal's";
  assertEquals(await judge([used], KEYS, [given("operator.key.end", to)]), [notOurs, 0]);

  const registers = async (input: ActArguments) =>
    entry(amal, "operator.passkey.add", await amal.sign("operator.passkey.add", input));
  const [first, again] = [
    await registers({ key_id: keyId, link_sha256: "ab" }),
    await registers({ key_id: keyId, link_sha256: "ab" }),
  ];
  const link = [given("operator.link", to)];
  const noLink = "nobody gave amal a link to register its key with";
  assertEquals(await judge([first, used, again], KEYS, link), [undefined, undefined, noLink, 0]);
  assertEquals(await judge([first], KEYS, [given("operator.key.add", to)]), [noLink, 0]);
  assertEquals(await judge([first], KEYS, [given("operator.link", { ...to, operator: "badr" })]), [
    noLink,
    0,
  ]);
  const another = await registers({ key_id: badr.published.keyId, link_sha256: "ab" });
  assertEquals(await judge([another], KEYS, link), [noLink, 0]);
});

test("without an environment no signature is right", async () => {
  const nowhere = createSignatureJudge(null, KEYS);
  for (const entry of added) assertEquals(await nowhere.judge(entry), undefined);
  const wrong = await nowhere.judge(entry(amal, "price.pause", pause));
  assertEquals(wrong, "its signature is not amal's");
});
