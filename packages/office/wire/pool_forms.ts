import type {
  BarChange,
  BarCounted,
  BarWhole,
  ChangedBar,
  ListedBar,
  PoolVersionMade,
  PoolVersionWhole,
} from "@sabika/service/vault";
import { BOOLEAN, type Form, INTEGER, list, nullable, oneOf, STRING, TIME } from "@sabika/protocol";
import { member, type Members, record } from "@sabika/protocol/record-form";
import { FINE_GRAMS, FINENESS } from "./values.ts";
import { BAR_MEMBERS, DOCUMENTS } from "./vault_forms.ts";

const KIND = member<PoolVersionMade["kind"]>("kind", oneOf(["add", "remove", "replace"]));

/** The form of a bar with what became of it. */
export const BAR_WHOLE: Form<BarWhole> = record<BarWhole>("whole bar", {
  ...BAR_MEMBERS,
  removedAtMs: member("removed_at", nullable(TIME), "Null while it is in the vault."),
  changes: member(
    "changes",
    list(record<BarChange>("bar change", {
      poolId: member("pool", STRING),
      number: member("version", INTEGER),
      kind: KIND,
      madeAtMs: member("made_at", TIME),
      isListed: member("listed", BOOLEAN, "Whether it is on the pool's list from then on."),
      vault: member("vault", nullable(STRING)),
      place: member("place", nullable(STRING)),
      documents: DOCUMENTS,
    })),
  ),
  counts: member(
    "counts",
    list(record<BarCounted>("bar counted", {
      countId: member("count", STRING),
      countedAtMs: member("counted_at", TIME),
      finding: member("finding", oneOf(["missing", "unexpected", "different", "found"])),
      weighedMicrograms: member("weighed_grams", nullable(FINE_GRAMS)),
    })),
    "Of the last counts.",
  ),
});

const VERSION_MEMBERS = {
  poolId: member("pool", STRING),
  number: member("version", INTEGER),
  kind: KIND,
  hash: member("hash", STRING, "The SHA-256 of its canonical JSON."),
  previousHash: member("previous", nullable(STRING), "The hash of the version before."),
  fineMicrograms: member("fine_grams", FINE_GRAMS),
  madeAt: member("made_at", TIME),
  actId: member("act", nullable(STRING), "The signed act; null where nobody signs."),
  madeBy: member("made_by", nullable(STRING), "Who asked for it."),
  changedBars: member("changed_bars", INTEGER, "That it added, took out or changed."),
} satisfies Members<Omit<PoolVersionMade, "versionId">>;

/** The form of a version of a pool. */
export const POOL_VERSION: Form<PoolVersionMade> = record("pool version", VERSION_MEMBERS) as Form<
  PoolVersionMade
>;

const LISTED_BAR = record<ListedBar>("listed bar", {
  serial: member("serial", STRING),
  refiner: member("refiner", STRING),
  finenessTenThousandths: member("fineness", FINENESS),
  weightMicrograms: member("weight_grams", FINE_GRAMS, "Gross."),
  fineMicrograms: member("fine_grams", FINE_GRAMS),
  vault: member("vault", nullable(STRING)),
  place: member("place", nullable(STRING)),
  documents: DOCUMENTS,
});

/** The form of a version of a pool with what it changed. */
export const POOL_VERSION_WHOLE: Form<PoolVersionWhole> = record("whole pool version", {
  ...VERSION_MEMBERS,
  changes: member(
    "changes",
    list(record<ChangedBar>("changed bar", {
      serial: member("serial", STRING),
      before: member("before", nullable(LISTED_BAR), "Null if it came."),
      after: member("after", nullable(LISTED_BAR), "Null if it left."),
    })) as Form<PoolVersionWhole["changes"]>,
  ),
}) as Form<PoolVersionWhole>;
