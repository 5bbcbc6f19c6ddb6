import { refuse } from "@sabika/protocol";
import {
  acceptCount,
  addBar,
  addBars,
  createPool,
  encumberBar,
  inspectCount,
  moveBar,
  recordCount,
  releaseBar,
  removeBar,
  replaceBars,
  type Seen,
} from "@sabika/service/vault";
import { act, booked } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { optional, text, texts } from "./arguments.ts";
import { grantGold } from "./bookings/grants.ts";
import { describeAcceptance, describeCount, describeInspection } from "./dossier/count_lines.ts";
import { describeBar, describeGrant, describeMove, describeNewBar } from "./dossier/gold_lines.ts";
import {
  describeEncumbrance,
  describeNewBars,
  describeNewPool,
  describePool,
  describeReplacement,
} from "./dossier/pool_lines.ts";
import { newBars, readNewBars } from "./new_bars.ts";
import { readSeen, seenBars, unexpectedBars } from "./seen_bars.ts";
import { setPool } from "./set_pool.ts";

const partner = text;

/** Acts on bars, their pools and what is allocated of them. */
export const VAULT_ACTS = {
  "vault.bar.add": act(
    {
      serial: checked.serial,
      refiner: text,
      fineness: checked.barFineness,
      weight_grams: checked.barWeight,
      place: optional(checked.place),
      document: optional(checked.documentReference),
      pool: optional(checked.poolId),
      vault: optional(checked.place),
      documents: optional(checked.sha256s),
    },
    describeNewBar,
    (admin, { serial, refiner, fineness, weight_grams, place, document, pool, vault, documents }) =>
      addBar(admin, {
        serial,
        refiner,
        finenessTenThousandths: Number(fineness),
        weightMicrograms: weight_grams,
        ...place !== undefined && { place },
        ...document !== undefined && { document },
        ...vault !== undefined && { vault },
        ...documents !== undefined && { documents: [...documents] },
      }, pool),
  ),
  "vault.bars.add": act(
    { pool: optional(checked.poolId), bars: newBars },
    describeNewBars,
    (admin, { pool, bars }) => addBars(admin, readNewBars(bars), pool),
  ),
  "vault.bar.move": act(
    { serial: text, place: checked.place },
    describeMove,
    (admin, { serial, place }) => moveBar(admin, serial, place),
  ),
  "vault.bar.remove": act(
    { serial: text },
    describeBar,
    (admin, { serial }) => removeBar(admin, serial),
  ),
  "vault.bar.replace": act(
    { serials: texts, bars: newBars },
    describeReplacement,
    (admin, { serials, bars }) => replaceBars(admin, { serials, bars: readNewBars(bars) }),
  ),
  "vault.bar.encumber": act(
    { serial: text, reason: checked.oneLine, document_sha256: optional(checked.sha256) },
    describeEncumbrance,
    (admin, { serial, reason, document_sha256: document }) =>
      encumberBar(admin, serial, { reason, document }),
  ),
  "vault.bar.release": act(
    { serial: text },
    describeBar,
    (admin, { serial }) => releaseBar(admin, serial),
  ),
  "vault.count": act(
    {
      place: optional(checked.place),
      bars: seenBars,
      unexpected: optional(unexpectedBars),
      pool: optional(checked.poolId),
    },
    describeCount,
    (admin, { place, bars, unexpected = [], pool }) => {
      const seen = bars.map(readSeen);
      if (seen.includes(undefined)) {
        return Promise.resolve(refuse("invalid_amount", "a bar is SERIAL or SERIAL=GRAMS"));
      }
      return recordCount(admin, { place, pool, bars: seen as Seen["bars"], unexpected });
    },
  ),
  "vault.count.accept": act(
    { count: text, reason: checked.reason },
    describeAcceptance,
    (admin, { count, reason }) => acceptCount(admin, count, reason),
  ),
  "vault.count.inspect": act(
    { count: text, signature: text },
    describeInspection,
    (admin, { count, signature }) => inspectCount(admin, count, signature.trim()),
  ),
  "vault.allocate": booked(
    { partner, grams: checked.gold },
    describeGrant("allocate"),
    grantGold("allocate"),
  ),
  "vault.release": booked(
    { partner, grams: checked.gold },
    describeGrant("release"),
    grantGold("release"),
  ),
  "pool.create": act(
    { pool: checked.poolId },
    describeNewPool,
    (admin, { pool }) => createPool(admin, pool),
  ),
  "partner.pool.set": act(
    { partner, pool: checked.poolId },
    describePool,
    (admin, { partner, pool }) => setPool(admin, partner, pool),
  ),
} as const;
