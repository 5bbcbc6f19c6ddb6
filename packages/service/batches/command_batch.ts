import { type IdempotentOutcome, type Refusal, uuidV7 } from "@sabika/protocol";
import { plainArray, textArray } from "@sabika/database";
import type { ResourceKind } from "../idempotency/resource_id.ts";
import type { Command } from "./commands.ts";
import type { BatchWork } from "./executor.ts";
import { movedAway } from "./moved.ts";
import { keyConflict } from "./refusals.ts";

/** A command with the ids of what it makes, which stay the same however often it is tried. */
export interface CommandItem<C extends Command<unknown>> {
  readonly command: C;
  readonly id: string;
  readonly eventId: string;
}

/** Assigns to a command a UUIDv7 for what it makes and another for the event. */
export function commandItem<C extends Command<unknown>>(
  command: C,
  random: (length: number) => Uint8Array,
): CommandItem<C> {
  return {
    command,
    id: uuidV7(command.receivedAtMs, random),
    eventId: uuidV7(command.receivedAtMs, random),
  };
}

/** The columns that every function for commands returns for each of them. */
export interface CommandRow {
  /** Its number in the batch, from 1. */
  readonly item: number;
  readonly result: string;
  readonly subject_kind: ResourceKind;
  readonly subject_id: string;
}

/** The results of commands that were carried out just now. */
const DONE: ReadonlySet<string> = new Set(["executed", "created", "credited", "cancelled"]);

/**
 * Carries out commands in batches, each by one call of a database function.
 *
 * @param call calls the function
 * @param read reads what was made, now or before under the same key
 * @param options.refusalOf the refusal that another result stands for
 * @param options.tags what a partner's items in one batch must not share, besides the Idempotency-Key
 */
export function commandWork<
  Item extends { readonly command: Command<unknown> },
  Row extends CommandRow,
  Value,
>(
  call: (items: readonly Item[]) => PromiseLike<readonly Row[]>,
  read: (row: Row, item: Item) => Value,
  { refusalOf = () => undefined, tags = () => [] }: {
    refusalOf?: (row: Row, item: Item, afterLoss: boolean) => Refusal | undefined;
    tags?: (item: Item) => readonly string[];
  } = {},
): BatchWork<Item, IdempotentOutcome<Value>> {
  const outcomeOf = (row: Row, item: Item, afterLoss: boolean): IdempotentOutcome<Value> => {
    const replayed = row.result === "replayed";
    if (replayed || DONE.has(row.result)) return { ok: true, replayed, value: read(row, item) };
    if (row.result === "idempotency_key_conflict") {
      return keyConflict(row.subject_kind, row.subject_id);
    }
    if (row.result === "moved") return movedAway(afterLoss);
    const refusal = refusalOf(row, item, afterLoss);
    if (refusal === undefined) throw new Error(`a batch of commands returned ${row.result}`);
    return refusal;
  };
  return {
    partnerId: ({ command }) => command.partner.partnerId,
    // A key that is another item's nonce holds its item up for one batch.
    tags: (item) => [item.command.idempotencyKey, ...tags(item)],
    async run(items, afterLoss) {
      const outcomes = new Array<IdempotentOutcome<Value>>(items.length);
      for (const row of await call(items)) {
        outcomes[row.item - 1] = outcomeOf(row, items[row.item - 1]!, afterLoss);
      }
      return outcomes;
    },
  };
}

/** The arguments that every function takes for commands, as array literals. */
export function commandArrays<C extends Command<unknown>>(items: readonly { command: C }[]) {
  const commands = items.map((item) => item.command);
  return {
    commands,
    partnerIds: plainArray(commands.map((command) => command.partner.partnerId)),
    keys: textArray(commands.map((command) => command.idempotencyKey)),
    parameters: textArray(commands.map((command) => command.parameters)),
  };
}
