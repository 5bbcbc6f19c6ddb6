import type { RateLimit } from "@sabika/core/partners";
import { RATE_CLASSES, type RateClass } from "@sabika/core/without-database";
import { formatMicrograms } from "@sabika/protocol";
import { command, readFlag, textFlag } from "../command/command.ts";
import { UsageError } from "../outcome.ts";
import { formatPercent, grams, percent, whole } from "../command/parsers.ts";
import { ID } from "./arguments.ts";

interface Flags {
  name?: string;
  spread?: bigint;
  fee?: bigint;
  vat?: bigint;
  minGrams?: bigint;
  maxGrams?: bigint;
  openQuotes?: number;
  rate?: readonly (readonly [RateClass, RateLimit])[];
}

/** `sabika partner update`. */
export const partnerUpdate = command<Flags, [string]>({
  act: "partner.update",
  brief: "Change a partner's name, prices and limits",
  examples: [
    "partner update bank-one --spread 0.4% --fee 0.2%",
    "partner update bank-one --max-grams 5000 --rate signed=50/100",
  ],
  flags: {
    name: textFlag("The organisation's name", "NAME"),
    spread: readFlag(percent, "Distance of its buy and sell price from the middle", "PERCENT"),
    fee: readFlag(percent, "Fee on each order", "PERCENT"),
    vat: readFlag(percent, "VAT on each order", "PERCENT"),
    minGrams: readFlag(grams, "Smallest quantity of a quote", "GRAMS"),
    maxGrams: readFlag(grams, "Largest quantity of a quote", "GRAMS"),
    openQuotes: readFlag(whole, "Most open quotes at a time", "NUMBER"),
    rate: {
      kind: "parsed",
      parse: readRate,
      brief: `Requests per second and burst, of ${RATE_CLASSES.join(", ")}; repeatable`,
      placeholder: "CLASS=PER_SECOND/BURST",
      optional: true,
      variadic: true,
    },
  },
  args: [ID],
  async run(session, flags, id) {
    const { rate } = flags;
    const changes = {
      name: flags.name,
      spread_percent: maybe(flags.spread, formatPercent),
      fee_percent: maybe(flags.fee, formatPercent),
      vat_percent: maybe(flags.vat, formatPercent),
      min_grams: maybe(flags.minGrams, formatMicrograms),
      max_grams: maybe(flags.maxGrams, formatMicrograms),
      open_quotes: flags.openQuotes,
      rates: rate && Object.fromEntries(rate),
    };
    if (Object.values(changes).every((change) => change === undefined)) {
      throw new UsageError("say what to change: sabika partner update --help");
    }
    await session.act("partner.update", { partner: id, ...changes });
    return { json: { client_id: id, updated: true }, text: `${id} is changed\n` };
  },
});

function maybe(value: bigint | undefined, format: (value: bigint) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}

function readRate(input: string): readonly [RateClass, RateLimit] {
  const match = /^([a-z]+)=([0-9]{1,7}(?:\.[0-9]{1,3})?)\/([1-9][0-9]{0,7})$/.exec(input);
  const name = RATE_CLASSES.find((name) => name === match?.[1]);
  if (match === null || name === undefined) {
    throw new SyntaxError(`not of the form signed=50/100, of ${RATE_CLASSES.join(", ")}`);
  }
  return [name, { perSecond: Number(match[2]), burst: Number(match[3]) }];
}
