import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import process from "node:process";
import type { TestContext } from "node:test";
import { seeded } from "../seeded.ts";
import { heapInUse } from "./heap_in_use.ts";
import { mutate } from "./mutate.ts";

/** A function that reads input which an attacker can choose. */
export interface FuzzTarget {
  /** Inputs that are accepted, from which mutations start. A string stands for its UTF-8 bytes. */
  samples: readonly (string | Uint8Array)[];
  /** Pieces that have a meaning in the input's syntax. */
  words?: readonly (string | Uint8Array)[];
  /** Inputs that were read wrongly before; judged before all others. */
  found?: readonly (string | Uint8Array)[];
  /**
   * Reads an input and checks the result.
   *
   * @returns "accepted", or the code of the refusal
   * @throws if the input is accepted wrongly, or refused without a code
   */
  judge: (input: Uint8Array<ArrayBuffer>) => string | Promise<string>;
}

/** The result of a run. */
interface FuzzResult {
  /** How many inputs got each verdict. */
  verdicts: ReadonlyMap<string, number>;
  /** Growth of the heap in bytes, from the first tenth of the run to its end. */
  grownBytes: number;
}

/** The number of mutations in `npm test`. */
const FEW_CASES = 300;
/** The largest number of samples that are kept. */
const MOST_SAMPLES = 256;
/** Growth of the heap that is allowed, since caches of a bounded size fill during a run. */
const FLAT_BYTES = 24 * 1024 * 1024;

/**
 * Makes the test of a target. `npm test` judges its `samples`, its `found` inputs and a few hundred
 * mutations; `npm run fuzz` judges as many mutations as its options say, from its seed.
 */
export function fuzz(target: FuzzTarget): (context: TestContext) => Promise<void> {
  const seed = Number(process.env["FUZZ_SEED"] ?? 1);
  const cases = Number(process.env["FUZZ_CASES"] ?? FEW_CASES);
  return async (context) => {
    const { verdicts, grownBytes } = await runFuzz(target, seed, cases);
    if (process.env["FUZZ_CASES"] !== undefined) {
      const counted = [...verdicts].sort(([, first], [, other]) => other - first)
        .map(([verdict, times]) => `${times} ${verdict}`);
      for (const line of [...counted, `heap: ${grownBytes >> 10} kB more`]) {
        context.diagnostic(line);
      }
    }
    assert(grownBytes < FLAT_BYTES, `the heap grew by ${grownBytes} bytes over ${cases} cases`);
  };
}

/**
 * Runs a target on its samples and on mutations of them. Inputs with a new verdict become samples too, so
 * that later mutations get past the first checks.
 *
 * @throws {Error} with the input that fails, as text and in base64
 */
async function runFuzz(target: FuzzTarget, seed: number, cases: number): Promise<FuzzResult> {
  const samples = target.samples.map(bytesOf);
  const words = (target.words ?? []).map(bytesOf);
  const verdicts = new Map<string, number>();
  const judge = async (input: Uint8Array<ArrayBuffer>): Promise<boolean> => {
    const verdict = await target.judge(input);
    const times = verdicts.get(verdict) ?? 0;
    verdicts.set(verdict, times + 1);
    return times === 0;
  };
  for (const input of [...samples, ...(target.found ?? []).map(bytesOf)]) {
    await judge(input).catch((error) => report(input, error));
  }
  assertEquals(verdicts.has("accepted"), true, "no sample is accepted");

  const fraction = seeded(seed);
  let atTenth = 0;
  for (let nth = 0; nth < cases; nth++) {
    if (nth === Math.floor(cases / 10)) atTenth = heapInUse();
    const input = mutate({ samples, words, fraction });
    let isNew: boolean;
    try {
      isNew = await judge(input);
    } catch (error) {
      return report(input, error);
    }
    if (isNew && samples.length < MOST_SAMPLES) samples.push(input);
  }
  return { verdicts, grownBytes: Math.max(0, heapInUse() - atTenth) };
}

function report(input: Uint8Array, error: unknown): never {
  const text = JSON.stringify(new TextDecoder().decode(input));
  throw new Error(`read wrongly: ${text} (base64 ${Buffer.from(input).toString("base64")})`, {
    cause: error,
  });
}

function bytesOf(input: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof input === "string" ? new TextEncoder().encode(input) : new Uint8Array(input);
}
