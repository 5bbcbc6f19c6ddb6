import { type Refusal, refuse } from "@sabika/protocol";
import { classifyFailure, isNotReplicated } from "@sabika/database";

/** The answer to an item: its result, a refusal, or the error that was thrown. */
export type Answer<Result> = { readonly result: Result | Refusal } | { readonly error: unknown };

/** What trying a batch needs. */
export interface Tries<Item, Result> {
  run(items: readonly Item[], afterLoss: boolean): Promise<Result[]>;
  readonly maxAttempts: number;
  /** Lets time pass between two attempts. */
  pause(ms: number): Promise<void>;
}

/** 1.6 s in all over seven attempts: as long as PostgreSQL needs to come back from a crash. */
const FIRST_PAUSE_MS = 25;

/**
 * Tries a batch until it is done or another try cannot help. While the database is away, or when a
 * connection broke, the same items are tried again, which their ids make safe. A batch that fails as a
 * whole is tried item by item.
 *
 * @param afterLoss whether an earlier attempt at these items may have been carried out although its
 * answer was lost
 * @param onHeld what to return when another transaction holds a lock that the batch needs; when left
 * out, the batch is tried again
 * @returns an answer for each item, in their order; or what `onHeld` returned
 */
export async function carryOut<Item, Result, Held extends object = never>(
  items: readonly Item[],
  tries: Tries<Item, Result>,
  afterLoss: boolean,
  onHeld?: (afterLoss: boolean) => Held,
): Promise<Answer<Result>[] | Held> {
  for (let attempt = 1; attempt <= tries.maxAttempts; attempt++) {
    try {
      const results = await tries.run(items, afterLoss);
      return results.map((result) => ({ result }));
    } catch (error) {
      const failure = classifyFailure(error);
      if (failure === "fatal" && items.length === 1) return [{ error }];
      if (failure === "fatal") return await carryOutEach(items, tries);
      if (failure === "held" && onHeld) return onHeld(afterLoss);
      afterLoss ||= failure === "lost";
      // Repeating it is left to the caller, whose new nonce commits only once the standby is back.
      if (isNotReplicated(error)) break;
      if (attempt < tries.maxAttempts) await tries.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
  const code = afterLoss ? "outcome_unknown" : "service_unavailable";
  const result = refuse(code, { retryAfterSeconds: 1 });
  return items.map(() => ({ result }));
}

async function carryOutEach<Item, Result>(
  items: readonly Item[],
  tries: Tries<Item, Result>,
): Promise<Answer<Result>[]> {
  const answers: Answer<Result>[] = [];
  // The batch may be committed: an error while its answer is read comes after the commit.
  for (const item of items) answers.push(...await carryOut([item], tries, true));
  return answers;
}
