import { addRefiner, endRefiner, setUnlistedBars, UNLISTED_BARS } from "@sabika/service/vault";
import { REFINER_LISTS } from "@sabika/terms";
import { act } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { oneOf } from "./arguments.ts";
import {
  describeEndedRefiner,
  describeListedRefiner,
  describeUnlistedBars,
} from "./dossier/refiner_lines.ts";

const list = oneOf(REFINER_LISTS);

/** Acts on the lists of refiners (Decision D109). */
export const REFINER_ACTS = {
  "refiner.add": act(
    { list, refiner: checked.oneLine, from_day: checked.day, document_sha256: checked.sha256 },
    describeListedRefiner,
    (admin, { list, refiner, from_day: fromDay, document_sha256: documentSha256 }) =>
      addRefiner(admin, { list, refiner, fromDay, documentSha256 }),
  ),
  "refiner.end": act(
    { list, refiner: checked.oneLine, until_day: checked.day },
    describeEndedRefiner,
    (admin, { list, refiner, until_day: untilDay }) =>
      endRefiner(admin, { list, refiner, untilDay }),
  ),
  "refiner.unlisted": act(
    { unlisted: oneOf(UNLISTED_BARS) },
    describeUnlistedBars,
    (admin, { unlisted }) => setUnlistedBars(admin, unlisted),
  ),
} as const;
