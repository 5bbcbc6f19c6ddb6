import { buildRouteMap } from "@stricli/core";
import {
  addBar,
  allocate,
  listBars,
  readVaultReport,
  release,
  removeBar,
} from "@sabika/core/vault";
import { formatDecimal, formatMicrograms, formatTime } from "@sabika/protocol";
import { confirm } from "../command/ask.ts";
import { command, readFlag, textFlag } from "../command/command.ts";
import { amount, time } from "../command/json.ts";
import { must, UsageError } from "../outcome.ts";
import { fineness, grams } from "../command/parsers.ts";
import { list, table } from "../command/table.ts";
import { ID } from "./arguments.ts";

const bar = buildRouteMap({
  docs: { brief: "The bars in the vault" },
  routes: {
    add: command<{ refiner?: string; fineness?: number; weight?: bigint }, [string]>({
      brief: "Record a bar that arrived in the vault",
      examples: ["vault bar add SA-0001 --refiner 'Refinery' --fineness 999.9 --weight 1000"],
      flags: {
        refiner: textFlag("Who made it", "NAME"),
        fineness: readFlag(fineness, "999.9 or more", "FINENESS"),
        weight: readFlag(grams, "Its weight", "GRAMS"),
      },
      args: [["SERIAL", "The number on the bar"]],
      async run(session, flags, serial) {
        const { refiner, fineness: finenessTenThousandths, weight: weightMicrograms } = flags;
        if (refiner === undefined) throw new UsageError("--refiner is needed");
        if (finenessTenThousandths === undefined) throw new UsageError("--fineness is needed");
        if (weightMicrograms === undefined) throw new UsageError("--weight is needed");
        must(
          await addBar(await session.adminContext(), {
            serial,
            refiner,
            finenessTenThousandths,
            weightMicrograms,
          }),
        );
        const weight = formatMicrograms(weightMicrograms);
        return {
          json: { serial, weight_grams: amount(weight) },
          text: `the bar ${serial}, ${weight} g, is in the vault\n`,
        };
      },
    }),
    list: command<object, []>({
      brief: "List the bars in the vault",
      examples: ["vault bar list"],
      flags: {},
      args: [],
      async run(session) {
        const bars = await listBars((await session.database()).sql);
        return {
          json: bars.map((one) => ({
            serial: one.serial,
            refiner: one.refiner,
            fineness: amount(formatDecimal(BigInt(one.finenessTenThousandths), 1)),
            weight_grams: amount(formatMicrograms(one.weightMicrograms)),
            added_at: time(one.addedAtMs),
          })),
          text: table(
            ["SERIAL", "REFINER", "FINENESS", "WEIGHT g", "ADDED"],
            bars.map((one) => [
              one.serial,
              one.refiner,
              formatDecimal(BigInt(one.finenessTenThousandths), 1),
              formatMicrograms(one.weightMicrograms),
              formatTime(one.addedAtMs),
            ]),
          ),
        };
      },
    }),
    remove: command<object, [string]>({
      brief: "Record that a bar left the vault; refused while it backs allocations",
      examples: ["vault bar remove SA-0001"],
      flags: {},
      args: [["SERIAL", "The number on the bar"]],
      async run(session, _flags, serial) {
        await confirm(session, `Has the bar ${serial} left the vault?`);
        must(await removeBar(await session.adminContext(), serial));
        return { json: { serial, removed: true }, text: `the bar ${serial} has left the vault\n` };
      },
    }),
  },
});

function moving(verb: "allocate" | "release") {
  return command<object, [string, bigint]>({
    brief: verb === "allocate"
      ? "Allocate gold of the vault to a partner, to sell"
      : "Give a partner's allocated gold back to the vault",
    examples: [`vault ${verb} bank-one 1000`],
    flags: {},
    args: [ID, ["GRAMS", "At most 4 decimals", grams]],
    async run(session, _flags, id, micrograms) {
      const move = verb === "allocate" ? allocate : release;
      const { allocationMicrograms } = must(
        await move(await session.adminContext(), id, micrograms),
      );
      const left = formatMicrograms(allocationMicrograms);
      return {
        json: { client_id: id, allocation_grams: amount(left) },
        text: `${id} has ${left} g allocated\n`,
      };
    },
  });
}

const report = command<object, []>({
  brief: "The bars in the vault and what is allocated of them",
  examples: ["vault report", "vault report --json"],
  flags: {},
  args: [],
  async run(session) {
    const found = await readVaultReport((await session.database()).sql);
    const grams = (micrograms: bigint) => formatMicrograms(micrograms);
    return {
      json: {
        bars: found.bars,
        vault_grams: amount(grams(found.barsMicrograms)),
        promised_grams: amount(grams(found.promisedMicrograms)),
        free_grams: amount(grams(found.freeMicrograms)),
        partners: found.partners.map((one) => ({
          client_id: one.clientId,
          gold_grams: amount(grams(one.goldMicrograms)),
          allocation_grams: amount(grams(one.allocationMicrograms)),
        })),
      },
      text: list([
        ["bars", found.bars],
        ["in the vault", `${grams(found.barsMicrograms)} g`],
        ["promised", `${grams(found.promisedMicrograms)} g`],
        ["free", `${grams(found.freeMicrograms)} g`],
      ]) + "\n" + table(
        ["PARTNER", "GOLD g", "ALLOCATION g"],
        found.partners.map((one) => [
          one.clientId,
          grams(one.goldMicrograms),
          grams(one.allocationMicrograms),
        ]),
      ),
    };
  },
});

/** `sabika vault …` */
export const vault = buildRouteMap({
  docs: { brief: "The physical gold, and how much of it partners may sell" },
  routes: { bar, allocate: moving("allocate"), release: moving("release"), report },
});
