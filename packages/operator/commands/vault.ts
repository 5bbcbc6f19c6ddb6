import { buildRouteMap } from "@stricli/core";
import { THE_VAULT } from "@sabika/office/reads";
import { formatDecimal, formatMicrograms } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { command, neededFlag, textFlag } from "../command/command.ts";
import { amount } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { fineness, grams, text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { list } from "../command/table.ts";
import { readOne } from "../reads/read.ts";
import { ID } from "./arguments.ts";
import { count } from "./vault_count.ts";

const bar = buildRouteMap({
  docs: { brief: "The bars in the vault" },
  routes: {
    add: command<{
      refiner: string;
      fineness: number;
      weight: bigint;
      place?: string;
      document?: string;
    }, [string]>({
      brief: "Record a bar that arrived in the vault",
      examples: ["vault bar add SA-0001 --refiner 'Refinery' --fineness 999.9 --weight 1000"],
      flags: {
        refiner: neededFlag(text, "Who made it", "NAME", { question: "Who made it?" }),
        fineness: neededFlag(fineness, "Parts in a thousand, from 916", "FINENESS", {
          question: "Its fineness, such as 999.9?",
        }),
        weight: neededFlag(grams, "Its gross weight", "GRAMS", {
          question: "Its weight in grams?",
        }),
        place: textFlag("The vault and place where it lies", "TEXT"),
        document: textFlag("The reference of the document that came with it", "TEXT"),
      },
      args: [["SERIAL", "The number on the bar"]],
      async run(session, { refiner, fineness, weight: micrograms, place, document }, serial) {
        const weight = formatMicrograms(micrograms);
        const { fineMicrograms } = await session.act("vault.bar.add", {
          serial,
          refiner,
          fineness: formatDecimal(BigInt(fineness), 1),
          weight_grams: weight,
          ...place !== undefined && { place },
          ...document !== undefined && { document },
        });
        const fine = formatDecimal(fineMicrograms, 6);
        return {
          json: { serial, weight_grams: amount(weight), fine_grams: amount(fine) },
          text: `the bar ${serial}, ${weight} g, is in the vault: ${fine} g fine\n`,
        };
      },
    }),
    ...readCommands("vault bar"),
    move: acting("vault.bar.move", {
      brief: "Record that a bar lies elsewhere",
      examples: ["vault bar move SA-0001 'Riyadh, shelf 4'"],
      args: {
        serial: ["SERIAL", "The number on the bar"],
        place: ["PLACE", "The vault and place where it lies"],
      },
      json: ({ serial, place }) => ({ serial, place }),
      text: ({ serial, place }) => `the bar ${serial} lies in ${place}`,
    }),
    remove: acting("vault.bar.remove", {
      brief: "Record that a bar left the vault; refused while it backs allocations",
      examples: ["vault bar remove SA-0001"],
      args: { serial: ["SERIAL", "The number on the bar"] },
      question: ({ serial }) => `Has the bar ${serial} left the vault?`,
      json: ({ serial }) => ({ serial, removed: true }),
      text: ({ serial }) => `the bar ${serial} has left the vault`,
    }),
  },
});

function moving(verb: "allocate" | "release") {
  return acting(`vault.${verb}`, {
    brief: verb === "allocate"
      ? "Allocate gold of the vault to a partner, to sell"
      : "Give a partner's allocated gold back to the vault",
    examples: [`vault ${verb} bank-one 1000`],
    args: {
      partner: ID,
      grams: ["GRAMS", "At most 4 decimals", (input) => formatMicrograms(grams(input))],
    },
    json: ({ partner }, { allocationMicrograms }) => ({
      client_id: partner,
      allocation_grams: amount(formatMicrograms(allocationMicrograms)),
    }),
    text: ({ partner }, { allocationMicrograms }) =>
      `${partner} has ${formatMicrograms(allocationMicrograms)} g allocated`,
  });
}

const report = command<object, []>({
  brief: "The bars in the vault and what is allocated of them",
  examples: ["vault report", "vault report --json"],
  async run(session) {
    const found = await readOne(session, THE_VAULT);
    const grams = (micrograms: bigint) => amount(formatMicrograms(micrograms));
    const partners = listing(found.partners, [
      ["client_id", "PARTNER", (account) => account.clientId],
      ["gold_grams", "GOLD g", (account) => grams(account.goldMicrograms)],
      ["allocation_grams", "ALLOCATION g", (account) => grams(account.allocationMicrograms)],
    ]);
    return {
      json: {
        bars: found.bars,
        vault_grams: grams(found.barsMicrograms),
        promised_grams: grams(found.promisedMicrograms),
        free_grams: grams(found.freeMicrograms),
        partners: partners.json,
      },
      text: list([
        ["bars", found.bars],
        ["in the vault", `${formatMicrograms(found.barsMicrograms)} g`],
        ["promised", `${formatMicrograms(found.promisedMicrograms)} g`],
        ["free", `${formatMicrograms(found.freeMicrograms)} g`],
      ]) + "\n" + partners.text,
    };
  },
});

/** `sabika vault …` */
export const vault = buildRouteMap({
  docs: { brief: "The physical gold, and how much of it partners may sell" },
  routes: {
    bar,
    count,
    allocate: moving("allocate"),
    release: moving("release"),
    report,
    ...readCommands("vault"),
  },
});
