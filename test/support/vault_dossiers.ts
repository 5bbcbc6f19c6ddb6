import { assert } from "@std/assert";
import { type ActArguments, makePersonsKey, readPersonsKey } from "@sabika/identity/signatures";
import { listCounts } from "@sabika/service/vault";
import type { TestAdmin } from "./test_admin.ts";
import type { TestPerson } from "./test_people.ts";

/** An act's arguments, and what its dossier then says in English: all lines, or the first ones. */
export type ActDossier = readonly [act: string, input: ActArguments, lines: readonly string[]];

const NEW_BAR = { refiner: "PAMP", fineness: "999.9", weight_grams: "500" };
const LISTED = { ...NEW_BAR, serial: "B-3", documents: ["cd".repeat(32)] };

/** Acts on outsiders' keys, a pool's bars or who draws on them, each possible after those before it, and then the bar `B-4` in the vault. */
export async function poolActs(
  admin: TestAdmin,
  person: TestPerson,
  partner: string,
): Promise<[string, ActArguments][]> {
  assert((await person.ask("vault.count", { bars: [], unexpected: ["X-1"] })).ok);
  const [counted] = await listCounts(admin.database.sql, { limit: 1 });
  const { privatePem, publicPem } = await makePersonsKey();
  const { keyId } = (await readPersonsKey(privatePem))!;
  return [
    ["attestation-key.add", { role: "inspector", holder: "Gulf Inspection", key: publicPem }],
    ["attestation-key.end", { key: keyId }],
    ["refiner.add", {
      list: "own",
      refiner: "PAMP",
      from_day: "2026-01-01",
      document_sha256: "ab".repeat(32),
    }],
    ["refiner.end", { list: "own", refiner: "PAMP", until_day: "2026-01-02" }],
    ["refiner.unlisted", { unlisted: "take_in" }],
    ["vault.count.accept", { count: counted!.countId, reason: "of another owner" }],
    ["vault.bar.add", { ...NEW_BAR, serial: "B-2" }],
    ["vault.bars.add", { bars: [LISTED] }],
    ["vault.bar.encumber", { serial: "B-2", reason: "pledged" }],
    ["vault.bar.release", { serial: "B-2" }],
    ["vault.bar.replace", {
      serials: ["B-2", "B-3"],
      bars: [{ ...NEW_BAR, serial: "B-4", weight_grams: "1000" }],
    }],
    ["pool.create", { pool: "second" }],
    ["partner.pool.set", { partner, pool: "second" }],
  ];
}

/** The dossiers of the acts on bars, with the bar `B-1` of 1 kg in the vault. */
export function ofVault(partner: string, bank: readonly string[]): ActDossier[] {
  return [
    ["vault.bar.add", { serial: "B-2", refiner: "PAMP", fineness: "999.9", weight_grams: "1000" }, [
      "Serial: B-2",
      "Refiner: PAMP",
      "Fineness: 999.9",
      "Gross weight: 1,000 g",
      "Fine weight: 999.9 g",
      "Refiners on no list: PAMP",
      "Unallocated in the vault: 995 g",
    ]],
    ["vault.bar.move", { serial: "B-1", place: "Riyadh, shelf 4" }, [
      "Serial: B-1",
      "Refiner: R",
      "Fineness: 995",
      "Gross weight: 1,000 g",
      "Fine weight: 995 g",
      "Vault and place: none → Riyadh, shelf 4",
    ]],
    ["vault.bars.add", { bars: [LISTED] }, [
      "Pool: main",
      "Bars that come in: 1",
      "Fine weight: 499.95 g",
      "The bars that come in: B-3 (PAMP): 500 g, 999.9",
      `Documents, as SHA-256: ${"cd".repeat(32)}`,
      "Refiners on no list: PAMP",
      "Unallocated in the vault: 995 g",
    ]],
    ["vault.bar.replace", { serials: ["B-1"], bars: [LISTED, { ...LISTED, serial: "B-4" }] }, [
      "Pool: main",
      "Bars that go out: B-1",
      "Bars that come in: 2",
      "Fine weight: 995 g → 999.9 g",
      "The bars that come in: B-3 (PAMP): 500 g, 999.9, B-4 (PAMP): 500 g, 999.9",
    ]],
    ["vault.bar.encumber", { serial: "B-1", reason: "pledged", document_sha256: "cd".repeat(32) }, [
      "Serial: B-1",
      "Refiner: R",
      "Fineness: 995",
      "Gross weight: 1,000 g",
      "Fine weight: 995 g",
      "Reason: pledged",
      `SHA-256 of the document: ${"cd".repeat(32)}`,
      "Unallocated in the vault: 995 g",
    ]],
    ["vault.bar.release", { serial: "B-1" }, ["Serial: B-1", "Refiner: R"]],
    ["pool.create", { pool: "second" }, ["Pool: second"]],
    ["partner.pool.set", { partner, pool: "second" }, [...bank, "Pool: main → second"]],
    ["vault.count", { bars: ["B-1=999.5"], unexpected: ["B-9"] }, [
      "Vault and place: the whole vault",
      "Bars on the list: 2",
      "Of these seen: 1",
      "Of these weighed: B-1",
      "Fine weight, of the list and as found: 1,000,995 g → 994.5025 g",
      "Missing: T2",
      "Not expected: B-9",
      "Weight differs (list, scale): B-1: 1000 g, 999.5 g",
    ]],
    ["vault.count.accept", {
      count: "01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60",
      reason: "at the assayer",
    }, [
      "Count: 01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60",
      "Missing: none",
      "Not expected: none",
      "Weight differs (list, scale): none",
      "Reason: at the assayer",
    ]],
    // Of one that cannot be read, nothing more.
    ["vault.count.inspect", { count: "1", signature: "x" }, ["Count: 1"]],
    ["vault.bar.remove", { serial: "B-1" }, [
      "Serial: B-1",
      "Refiner: R",
      "Fineness: 995",
      "Gross weight: 1,000 g",
      "Fine weight: 995 g",
      "Unallocated in the vault: 995 g",
    ]],
    ["vault.allocate", { partner, grams: "12.5" }, [
      ...bank,
      "Gold: 12.5 g",
      "Allocated to the partner: 0 g → 12.5 g",
    ]],
    ["vault.release", { partner, grams: "1" }, [...bank, "Gold: 1 g"]],
  ];
}
