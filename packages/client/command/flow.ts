import { parseArgs } from "node:util";
import { formatGrams, formatRiyals, grams, riyals } from "../amounts.ts";
import { createClient } from "../client.ts";
import { KIT_OPTION, openKitOf } from "./files.ts";
import { type Command, CommandError, good, type Io, row, UsageError } from "./io.ts";

/** `sabika-client flow` */
export const flow: Command = {
  summary: "walk through the core flow in the sandbox: fund, quote, order, balances",
  help: `Walks through the core flow once: funding, quote, order, the same order again, balances.

  sabika-client flow [--kit FOLDER] [--side buy|sell] [--grams G] [--fund SAR]

  --kit FOLDER  the partner kit, of the sandbox; by default of SABIKA_KIT…, else this folder
  --side SIDE   buy (the default) or sell
  --grams G     how much gold; 1 by default
  --fund SAR    how much money to fund first; 1000 by default, 0 for none`,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        ...KIT_OPTION,
        side: { type: "string", default: "buy" },
        grams: { type: "string", default: "1" },
        fund: { type: "string", default: "1000" },
      },
    });
    const { side } = values;
    if (side !== "buy" && side !== "sell") throw new UsageError("--side is buy or sell");
    const gold = amount("--grams", grams, values.grams);
    const money = amount("--fund", riyals, values.fund);
    const kit = await openKitOf(values.kit, io);
    if (kit.environment !== "sandbox") {
      throw new CommandError(
        "this kit is for production, where an order costs money: take the sandbox's",
      );
    }
    const client = createClient(kit);
    try {
      const signal = io.interrupted;
      if (money > 0n) {
        const funding = await client.fund({ amountHalalas: money }, { signal });
        io.print(row("fund", `${funding.id} ${formatRiyals(funding.amountHalalas)} SAR`));
      }
      const quote = await client.quote({ side, goldMicrograms: gold }, { signal });
      const until = new Date(quote.expiresAtMs).toISOString();
      io.print(row("quote", `${quote.id} ${formatRiyals(quote.totalHalalas)} SAR until ${until}`));
      const idempotencyKey = crypto.randomUUID();
      const place = () => client.order({ quoteId: quote.id }, { idempotencyKey, signal });
      const order = await place();
      io.print(row("order", `${order.id} ${good(io, order.status)}`));
      const isSame = (await place()).id === order.id;
      if (!isSame) throw new CommandError("the same key made another order");
      io.print(row("once more", "the same order"));
      showBalances(io, await client.balances({ signal }));
      return 0;
    } finally {
      await client.close();
    }
  },
};

function amount(option: string, read: (text: string) => bigint, text: string): bigint {
  try {
    return read(text);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as RangeError).message}`);
  }
}

function showBalances(io: Io, balances: { sarHalalas: bigint; goldMicrograms: bigint }): void {
  const [money, gold] = [formatRiyals(balances.sarHalalas), formatGrams(balances.goldMicrograms)];
  io.print(row("balances", `${money} SAR, ${gold} g`));
}
