import type {
  BarInVault,
  CountLine,
  Inspection,
  ListedRefiner,
  OpenDifference,
  PoolInForce,
  PoolLastCount,
  VaultCount,
  VaultCountWhole,
  VaultReport,
} from "@sabika/service/vault";
import {
  BOOLEAN,
  type Form,
  INTEGER,
  list,
  MICROGRAMS,
  nullable,
  oneOf,
  STRING,
  TIME,
} from "@sabika/protocol";
import { member, type Members, record } from "@sabika/protocol/record-form";
import { REFINER_LISTS } from "@sabika/terms";
import { FINE_GRAMS, FINENESS } from "./values.ts";

/** The gold in the vault, and the last count of each pool. */
type VaultNow = VaultReport & { readonly lastCounts: readonly PoolLastCount[] };

/** The form of the gold in the vault, and how much of it each partner has. */
export const VAULT: Form<VaultNow> = record<VaultNow>("vault", {
  bars: member("bars", INTEGER),
  barsMicrograms: member("bars_grams", FINE_GRAMS),
  promisedMicrograms: member("promised_grams", FINE_GRAMS),
  freeMicrograms: member("free_grams", FINE_GRAMS),
  partners: member(
    "partners",
    list(record<VaultReport["partners"][number]>("partners gold", {
      clientId: member("client_id", STRING),
      goldMicrograms: member("gold_grams", MICROGRAMS),
      allocationMicrograms: member("allocation_grams", MICROGRAMS),
    })) as Form<VaultReport["partners"]>,
  ),
  lastCounts: member(
    "last_counts",
    list(record<PoolLastCount>("pool last count", {
      poolId: member("pool", STRING),
      countId: member("count", STRING),
      countedAtMs: member("counted_at", TIME),
      countedBy: member("counted_by", STRING),
      inspectedBy: member("inspected_by", nullable(STRING), "Null while no inspector signed it."),
    })),
    "The last count of each pool that was counted.",
  ),
});

/** The form of a pool with its version in force. */
export const POOL: Form<PoolInForce> = record<PoolInForce>("pool", {
  poolId: member("pool", STRING),
  version: member("version", nullable(INTEGER), "Null before its first bar."),
  hash: member("hash", nullable(STRING), "The SHA-256 of its bars' canonical JSON."),
  madeAtMs: member("made_at", nullable(TIME), "Since when the version is in force."),
  bars: member("bars", INTEGER, "Without those that are encumbered."),
  fineMicrograms: member("fine_grams", FINE_GRAMS),
  freeMicrograms: member("free_grams", FINE_GRAMS, "Allocated to nobody."),
});

/** The member `documents` of a bar. */
export const DOCUMENTS = member(
  "documents",
  list(STRING) as Form<string[]>,
  "SHA-256 of documents about it.",
);

/** The members of a bar in the vault. */
export const BAR_MEMBERS = {
  serial: member("serial", STRING),
  refiner: member("refiner", STRING),
  finenessTenThousandths: member("fineness", FINENESS),
  weightMicrograms: member("weight_grams", FINE_GRAMS, "Gross."),
  fineMicrograms: member("fine_grams", FINE_GRAMS, "Weight × fineness: what it counts for."),
  addedAtMs: member("added_at", TIME),
  poolId: member("pool", STRING),
  vault: member("vault", nullable(STRING), "Null where the place says it."),
  place: member("place", nullable(STRING), "Vault and place."),
  document: member(
    "document",
    nullable(STRING),
    "The reference of the document that came with it.",
  ),
  documents: DOCUMENTS,
  encumbrance: member("encumbrance", nullable(STRING), "Why it does not count; null if it does."),
  encumbranceDocument: member(
    "encumbrance_document",
    nullable(STRING),
    "The SHA-256 of the document that says so.",
  ),
  refinerList: member(
    "refiner_list",
    nullable(oneOf([...REFINER_LISTS, "unlisted"] as const)),
    "The list that its refiner was on when it came in; null if it is not known.",
  ),
  sourcingSha256: member(
    "sourcing_sha256",
    nullable(STRING),
    "The SHA-256 of the document about responsible sourcing, then.",
  ),
  year: member("year", nullable(INTEGER), "Of its making, as it is stamped on it."),
} satisfies Members<BarInVault>;

/** The form of a bar in the vault. */
export const BAR: Form<BarInVault> = record<BarInVault>("bar", BAR_MEMBERS);

/** The form of a refiner on a list. */
export const REFINER: Form<ListedRefiner> = record<ListedRefiner>("refiner", {
  refiner: member("refiner", STRING, "As bars name it."),
  list: member("list", oneOf(REFINER_LISTS)),
  fromDay: member("from_day", STRING, "The first day, in Riyadh."),
  untilDay: member("until_day", nullable(STRING), "The last day; null while there is none."),
  documentSha256: member("document_sha256", STRING, "Of the document about its sourcing."),
  listedAtMs: member("listed_at", TIME),
});

const COUNT_FIGURES = {
  countId: member("id", STRING),
  place: member("place", nullable(STRING), "Null: the whole vault."),
  countedAtMs: member("counted_at", TIME),
  countedBy: member("counted_by", STRING),
  acceptedAtMs: member("accepted_at", nullable(TIME), "When two people accepted what it found."),
  expected: member("expected", INTEGER, "The bars of the list."),
  found: member("found", INTEGER, "Those of the list that were seen."),
  missing: member("missing", INTEGER),
  unexpected: member("unexpected", INTEGER),
  different: member("different", INTEGER, "Seen, and weighed with another weight."),
  expectedMicrograms: member("expected_fine_grams", FINE_GRAMS),
  foundMicrograms: member("found_fine_grams", FINE_GRAMS),
  poolId: member("pool", nullable(STRING), "Null where all pools were counted together."),
  version: member("version", nullable(INTEGER), "The pool's version that was counted."),
  inspectedBy: member(
    "inspected_by",
    nullable(STRING),
    "Whose key an inspector signed it with; null while none has.",
  ),
} satisfies Members<VaultCount>;

/** A count of bars, in figures. */
export const VAULT_COUNT: Form<VaultCount> = record<VaultCount>("vault count", COUNT_FIGURES);

const FINDINGS = ["missing", "unexpected", "different", "found"] as const;

/** A count of bars with its bars. */
export const VAULT_COUNT_WHOLE: Form<VaultCountWhole> = record<VaultCountWhole>("vault count", {
  ...COUNT_FIGURES,
  lines: member(
    "bars",
    list(record<CountLine>("counted bar", {
      serial: member("serial", STRING),
      finding: member("finding", oneOf(FINDINGS)),
      refiner: member("refiner", nullable(STRING)),
      finenessTenThousandths: member("fineness", nullable(FINENESS)),
      weightMicrograms: member("weight_grams", nullable(FINE_GRAMS), "Gross, as recorded."),
      isSeen: member("seen", BOOLEAN),
      weighedMicrograms: member("weighed_grams", nullable(FINE_GRAMS)),
    })),
  ),
  text: member(
    "text",
    nullable(STRING),
    "Its canonical JSON, which an inspector signs; null if it names no pool.",
  ),
  sha256: member("sha256", nullable(STRING), "The SHA-256 of that."),
  inspection: member(
    "inspection",
    nullable(record<Inspection>("inspection", {
      holder: member("holder", STRING, "Whose key signed it."),
      keyId: member("key", STRING, "The key's RFC 7638 thumbprint."),
      signature: member("signature", STRING, "Compact JWS of type `sabika-count`."),
      inspectedAtMs: member("inspected_at", TIME, "When it was entered."),
    })),
    "Null while no inspector has signed it.",
  ),
});

/** A difference of a count that is still open. */
export const VAULT_DIFFERENCE: Form<OpenDifference> = record<OpenDifference>("difference", {
  serial: member("serial", STRING),
  finding: member("finding", oneOf(["missing", "unexpected", "different"])),
  place: member("place", nullable(STRING)),
  countId: member("count", STRING),
  countedAtMs: member("counted_at", TIME),
  poolId: member("pool", STRING, "Nothing is allocated from it meanwhile."),
});
