import { type IdempotentOutcome, uuidV7 } from "@sabika/protocol";
import { plainArray, textArray } from "../store/array_text.ts";
import type { Command } from "./commands.ts";
import type { BatchWork } from "./executor.ts";

/** A command on its way, with the ids it will have; they stay the same however often it is tried. */
export interface CommandItem<C extends Command<unknown>> {
  readonly command: C;
  readonly id: string;
  readonly eventId: string;
}

/** Gives a command its ids. */
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

/**
 * Commands that go to the database in batches of one function.
 *
 * @param call calls the function; a row of its result names its item, from 1
 * @param read reads what came of an item
 * @param tags what else than its Idempotency-Key an item may share with no other of its batch
 */
export function commandWork<
  Item extends { readonly command: Command<unknown> },
  Row extends { readonly item: number },
  Value,
>(
  call: (items: readonly Item[]) => PromiseLike<readonly Row[]>,
  read: (row: Row, item: Item, afterLoss: boolean) => IdempotentOutcome<Value>,
  tags: (item: Item) => readonly string[] = () => [],
): BatchWork<Item, IdempotentOutcome<Value>> {
  return {
    group: () => "",
    partnerId: ({ command }) => command.partner.partnerId,
    tags: (item) => {
      const { partner, idempotencyKey } = item.command;
      return [`key ${idempotencyKey}`, ...tags(item)].map((tag) => `${partner.partnerId} ${tag}`);
    },
    async run(items, afterLoss) {
      const outcomes = new Array<IdempotentOutcome<Value>>(items.length);
      for (const row of await call(items)) {
        outcomes[row.item - 1] = read(row, items[row.item - 1]!, afterLoss);
      }
      return outcomes;
    },
  };
}

/** What the functions take of every command, as array literals. */
export function commandArrays<C extends Command<unknown>>(items: readonly { command: C }[]) {
  const commands = items.map((item) => item.command);
  return {
    commands,
    partnerIds: plainArray(commands.map((command) => command.partner.partnerId)),
    keys: textArray(commands.map((command) => command.idempotencyKey)),
    parameters: textArray(commands.map((command) => command.parameters)),
  };
}
