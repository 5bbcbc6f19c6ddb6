import type { RateLimit } from "@sabika/protocol";
import {
  formatTerm,
  RATE_CLASSES,
  type RateClass,
  TERM_ENTRIES,
  type TermOption,
  type TermUnit,
} from "@sabika/terms";
import { command, readFlag, textFlag } from "../command/command.ts";
import { UsageError } from "../outcome.ts";
import { grams, percent, whole } from "../command/parsers.ts";
import { severalOf } from "../command/several.ts";
import { ID } from "./arguments.ts";

interface Flags extends TermFlags {
  name?: string;
  disclosesSpread?: boolean;
  rate?: readonly (readonly [RateClass, RateLimit])[];
}

type TermFlags = Partial<Record<TermOption, TermValue>>;

/** A term's value in the form that the act takes. */
interface TermValue {
  readonly json: string | number;
}

const UNITS: Readonly<Record<TermUnit, readonly [(text: string) => string | number, string]>> = {
  percent: [(text) => formatTerm("percent", percent(text)), "PERCENT"],
  grams: [(text) => formatTerm("grams", grams(text)), "GRAMS"],
  count: [whole, "NUMBER"],
};

const TERM_FLAGS = Object.fromEntries(
  TERM_ENTRIES.map(([, { option, unit, brief }]) => {
    const [parse, placeholder] = UNITS[unit];
    return [option, readFlag((text): TermValue => ({ json: parse(text) }), brief, placeholder)];
  }),
) as Record<TermOption, ReturnType<typeof readFlag<TermValue>>>;

/** `sabika partner update`. */
export const partnerUpdate = command<Flags, [string]>({
  brief: "Change a partner's name, prices and limits",
  examples: [
    "partner update bank-one --spread 0.4% --fee 0.2%",
    "partner update bank-one --max-grams 5000 --rate signed=50/100",
  ],
  flags: {
    name: textFlag("The organisation's name", "NAME"),
    ...TERM_FLAGS,
    disclosesSpread: readFlag(
      readYes,
      "Whether it sees mid price and spread of its trades",
      "yes|no",
    ),
    rate: severalOf(
      readRate,
      `Requests per second and burst, of ${RATE_CLASSES.join(", ")}`,
      "CLASS=PER_SECOND/BURST",
    ),
  },
  args: [ID],
  async run(session, flags, id) {
    const { name, rate, disclosesSpread } = flags;
    const changes = {
      name,
      discloses_spread: disclosesSpread,
      ...Object.fromEntries(TERM_ENTRIES.map(([, term]) => [term.name, flags[term.option]?.json])),
      rates: rate && Object.fromEntries(rate),
    };
    if (Object.values(changes).every((change) => change === undefined)) {
      throw new UsageError("say what to change: sabika partner update --help");
    }
    await session.act("partner.update", { partner: id, ...changes });
    return { json: { client_id: id, updated: true }, text: `${id} is changed\n` };
  },
});

function readYes(input: string): boolean {
  if (input === "yes" || input === "no") return input === "yes";
  throw new SyntaxError("not yes or no");
}

function readRate(input: string): readonly [RateClass, RateLimit] {
  const match = /^([a-z]+)=([0-9]{1,7}(?:\.[0-9]{1,3})?)\/([1-9][0-9]{0,7})$/.exec(input);
  const name = RATE_CLASSES.find((name) => name === match?.[1]);
  if (match === null || name === undefined) {
    throw new SyntaxError(`not of the form signed=50/100, of ${RATE_CLASSES.join(", ")}`);
  }
  return [name, { perSecond: Number(match[2]), burst: Number(match[3]) }];
}
