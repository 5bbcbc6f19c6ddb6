import type { AnySql } from "@sabika/database";
import { readListsOf, type UNLISTED_BARS } from "@sabika/service/vault";
import type { REFINER_LISTS } from "@sabika/terms";
import { change, type Dossier, line } from "./line.ts";
import type { Describe } from "./subject.ts";

type List = (typeof REFINER_LISTS)[number];

/** A refiner that is on a list from a day on. */
export const describeListedRefiner: Describe<{
  readonly list: List;
  readonly refiner: string;
  readonly from_day: string;
  readonly document_sha256: string;
}> = ({ input: { list, refiner, from_day: fromDay, document_sha256: document } }) => [
  line("refiner_list", { word: list }),
  line("refiner", { text: refiner }),
  line("listed_from", { text: fromDay }),
  line("document_sha256", { text: document }),
];

/** A refiner whose time on a list ends. */
export const describeEndedRefiner: Describe<{
  readonly list: List;
  readonly refiner: string;
  readonly until_day: string;
}> = ({ input: { list, refiner, until_day: untilDay } }) => [
  line("refiner_list", { word: list }),
  line("refiner", { text: refiner }),
  line("listed_until", { text: untilDay }),
];

/** What becomes of bars whose refiner is on no list. */
export const describeUnlistedBars: Describe<
  { readonly unlisted: (typeof UNLISTED_BARS)[number] }
> = async ({ input: { unlisted }, control }) => {
  const [now] = await control<{ takes: boolean }[]>`select takes_unlisted_bars() as takes`;
  return [change("unlisted_bars", { word: now!.takes ? "take_in" : "refuse" }, { word: unlisted })];
};

/** The refiners of bars that come in, by the list that they are on today. */
export async function refinerLines(control: AnySql, refiners: readonly string[]): Promise<Dossier> {
  const lists = await readListsOf(control, refiners);
  return (["good_delivery", "own", "unlisted"] as const).flatMap((list) => {
    const texts = [...lists].flatMap(([refiner, on]) => on === list ? refiner : []).sort();
    return texts.length === 0 ? [] : [line(`refiners_${list}`, { texts })];
  });
}
