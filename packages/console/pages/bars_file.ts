import { listBars } from "@sabika/core/vault";
import { formatDecimal, formatMicrograms, formatTime } from "@sabika/protocol";
import { file, oneOnly } from "../layout/file.ts";

type Bar = Awaited<ReturnType<typeof listBars>>[number];

/** The bars in the vault, as a file. */
export const barsFile = file<Bar>({
  ...{ path: "/vault.csv", name: "bars", act: "vault.read" },
  columns: [
    ["serial", (one) => one.serial],
    ["refiner", (one) => one.refiner],
    ["fineness", (one) => formatDecimal(BigInt(one.finenessTenThousandths), 1)],
    ["weight_grams", (one) => formatMicrograms(one.weightMicrograms)],
    ["added_at", (one) => formatTime(one.addedAtMs)],
  ],
  pages: async ({ database: { sql } }) => oneOnly(await listBars(sql)),
});
