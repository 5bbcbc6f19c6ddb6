import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { createReplay, FACT_TABLES, type FactRow, readFacts } from "./replay_facts.ts";

type Row = FactRow["row"];

/** Follows entries that left rows, and compares a register with them; returns what differs. */
async function differences(
  entries: readonly (readonly [string, Row | null][])[],
  register: readonly (readonly [string, Row])[],
): Promise<(readonly [bigint | null, string])[]> {
  const replay = createReplay();
  for (const [index, rows] of entries.entries()) {
    const facts = JSON.stringify(rows.map(([key, row]) => ["cells", key, row]));
    const detail = JSON.stringify({ rows_sha256: await sha256Hex(encodeUtf8(facts)) });
    assertEquals(await replay.follow({ auditId: BigInt(index + 1), detail, facts }), undefined);
  }
  async function* rows() {
    for (const [key, row] of register) yield { fact: "cells", key, row };
  }
  return (await replay.compare(rows())).map(({ auditId, message }) => [auditId, message] as const);
}

test("a register is as the last entry left each row", async () => {
  const [b, c] = [{ name: "b", note: null }, { name: "c" }];
  const cases: [Parameters<typeof differences>, unknown][] = [
    [[[[["b", b]]], [["b", b]]], []],
    // A column that one of the two does not have is the same as an empty one.
    [[[[["b", b]]], [["b", { name: "b", more: null }]]], []],
    [[[[["b", b]], [["b", c]]], [["b", c]]], []],
    [[[[["b", b]], [["b", null]]], []], []],
    // Before the first entry that left rows nothing is known.
    [[[], [["b", b]]], []],
    [[[[["b", b]]], []], [[1n, "cells b: entry 1 left it, and it is gone"]]],
    [[[[["b", b]]], [["b", b], ["c", c]]], [[null, "cells c: no entry has it"]]],
    [[[[["b", b]], [["b", null]]], [["b", b]]], [
      [2n, "cells b: entry 2 removed it, and it is there"],
    ]],
    [[[[["b", b]], [["b", c]]], [["b", { name: "d", note: "x" }]]], [
      [2n, "cells b: name is d, and entry 2 left c"],
      [2n, "cells b: note is x, and entry 2 left null"],
    ]],
    [[[[["b", { name: "b", note: "x" }]]], [["b", { name: "b" }]]], [
      [1n, "cells b: note is null, and entry 1 left x"],
    ]],
  ];
  for (const [given, found] of cases) assertEquals(await differences(...given), found);
});

test("rows that an entry left are those whose hash it has", async () => {
  const follow = (detail: object, facts: string | null) =>
    createReplay().follow({ auditId: 1n, detail: JSON.stringify(detail), facts });
  const changed = "the rows that it left are not what they were";
  assertEquals(await follow({}, null), undefined);
  assertEquals(await follow({ rows_sha256: "00" }, "[]"), changed);
  assertEquals(await follow({ rows_sha256: await sha256Hex(encodeUtf8("[]")) }, null), changed);
});

test("the register's rows are read as texts, secret and long columns as hashes, without what changes by itself", async () => {
  const { database: { sql }, close } = await openTestDatabase();
  after(close);
  await sql`insert into cells (cell_id) values ('b')`;
  await sql`insert into partners (client_id, name, settlement_iban, revision)
    values ('bank-a', 'A', 'SA0380000000608010167519', 7)`;
  await sql`insert into authorities (name, certificate_pem, sealed_private_key)
    values ('root', 'PEM', decode('0102', 'hex')), ('other', 'PEM', null)`;
  const read: Record<string, Row[]> = {};
  await sql.begin(async (tx) => {
    for await (const { fact, row } of readFacts(tx)) (read[fact] ??= []).push(row);
  });
  assertEquals(Object.keys(read).every((fact) => fact in FACT_TABLES), true);
  const [partner] = read["partners"]!;
  assertEquals([partner!["client_id"], "revision" in partner!, "cell_id" in partner!], [
    "bank-a",
    false,
    false,
  ]);
  assertEquals(read["cells"]!.map((row) => row["cell_id"]), ["main", "b"]);
  const hashed = async (text: string) => `sha256:${await sha256Hex(encodeUtf8(text))}`;
  const certificate_pem = await hashed("PEM");
  assertEquals(read["authorities"]!.map(({ created_at: _, ...row }) => row), [
    { name: "root", certificate_pem, sealed_private_key: await hashed("\\x0102") },
    { name: "other", certificate_pem, sealed_private_key: null },
  ]);
});
