import { readFileSync } from "node:fs";
import { type Mutant, type MutantIdentity, nameMutant } from "./mutant.ts";

/** Why a mutant may live: what it does is the same, or what a test would cost. */
export interface Reason extends MutantIdentity {
  reason: string;
}

const FILE = new URL("survivors.json", import.meta.url);

/** Reads the mutants that may live, by name. */
export function readReasons(text = readFileSync(FILE, "utf8")): Map<string, Reason> {
  const reasons = (JSON.parse(text) as (Omit<Reason, "nth"> & { nth?: number })[])
    .map((entry) => ({ nth: 1, ...entry }));
  for (const { reason, file, before } of reasons) {
    if (!reason) throw new Error(`survivors.json gives no reason for ${file}: ${before}`);
  }
  return new Map(reasons.map((entry) => [nameMutant(entry), entry]));
}

/**
 * Returns the reasons that are of no use any more: of a mutant that does not exist, or that a test finds.
 *
 * @param files the files whose mutants are all known
 */
export function findStaleReasons(
  reasons: ReadonlyMap<string, Reason>,
  files: ReadonlySet<string>,
  living: readonly Mutant[],
): Reason[] {
  const names = new Set(living.map(nameMutant));
  return [...reasons].filter(([name, { file }]) => files.has(file) && !names.has(name))
    .map(([, entry]) => entry);
}
