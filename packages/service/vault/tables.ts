import type { AttestationRole, PublicJwk } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { RefinerList } from "@sabika/terms";

/** A pool's gold and how much of it is allocated, both fine (Decisions D39, D94, D102): a row each. */
export const vault = pgTable("vault", {
  poolId: text("pool_id").notNull().default("main"),
  /** Of the release before; nothing reads it. */
  singleton: boolean("singleton").notNull().default(true),
  /** Bars that are encumbered do not count. */
  barsMicrograms: bigint("bars_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
  allocatedMicrograms: bigint("allocated_micrograms", { mode: "bigint" }).notNull().default(sql`0`),
});

/** Sets of bars; a partner draws on one (Decision D102). Numbered from 1 without gaps. */
export const pools = pgTable("pools", {
  poolNumber: smallint("pool_number").notNull(),
  poolId: text("pool_id").notNull(),
  /** The version in force, by its id; null before the first bar. */
  versionId: integer("version_id"),
  createdAt: moment("created_at").notNull().default(
    sql`date_trunc('milliseconds', clock_timestamp())`,
  ),
});

/** What became of a pool, change by change; never changed. */
export const poolVersions = pgTable("pool_versions", {
  /** What an order keeps. */
  versionId: integer("version_id").notNull().generatedAlwaysAsIdentity(),
  poolId: text("pool_id").notNull(),
  number: integer("number").notNull(),
  /** The hash of the version before; null for the first. */
  previousHash: text("previous_hash"),
  kind: text("kind").$type<"add" | "remove" | "replace">().notNull(),
  /** The SHA-256 of its canonical JSON, lower-case hexadecimal. */
  hash: text("hash").notNull(),
  /** The fine weight of its bars. */
  fineMicrograms: bigint("fine_micrograms", { mode: "bigint" }).notNull(),
  /** The signed act that made it; null where nobody signs. */
  actId: uuid("act_id"),
  madeAt: moment("made_at").notNull().default(sql`date_trunc('milliseconds', clock_timestamp())`),
});

/** What each version changed: a bar as it is listed from then on, or is no longer. */
export const poolVersionBars = pgTable("pool_version_bars", {
  poolId: text("pool_id").notNull(),
  number: integer("number").notNull(),
  serial: text("serial").notNull(),
  isListed: boolean("is_listed").notNull(),
  refiner: text("refiner").notNull(),
  finenessTenThousandths: integer("fineness_ten_thousandths").notNull(),
  /** Gross. */
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }).notNull(),
  fineMicrograms: bigint("fine_micrograms", { mode: "bigint" }).notNull(),
  vault: text("vault"),
  place: text("place"),
  documents: text("documents").array().notNull(),
});

/** The bars in the vault, past and present. */
export const vaultBars = pgTable("vault_bars", {
  serial: text("serial").notNull(),
  poolId: text("pool_id").notNull().default("main"),
  refiner: text("refiner").notNull(),
  /** Parts in ten thousand: 999.9 is 9999. */
  finenessTenThousandths: integer("fineness_ten_thousandths").notNull(),
  /** Gross. */
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }).notNull(),
  /** Weight × fineness, rounded down: what the bar counts for (Decision D94). */
  fineMicrograms: bigint("fine_micrograms", { mode: "bigint" }).notNull().generatedAlwaysAs(
    sql`weight_micrograms * fineness_ten_thousandths / 10000`,
  ),
  addedAt: moment("added_at").notNull().default(sql`now()`),
  removedAt: moment("removed_at"),
  /** Whose vault it is; null if only the place says it. */
  vault: text("vault"),
  /** Vault and place, or the place in the vault; null for older bars. */
  place: text("place"),
  /** The reference of the document that came with it. */
  document: text("document"),
  /** The SHA-256 of documents about it: assay, weight list, custody receipt. */
  documents: text("documents").array().notNull().default(sql`'{}'`),
  /** Why it does not count, such as a pledge; null if it does. */
  encumbrance: text("encumbrance"),
  /** The SHA-256 of the document that says so. */
  encumbranceDocument: text("encumbrance_document"),
  /** The list that its refiner was on when it came in (Decision D109), and the sourcing document; null for older bars. */
  refinerList: text("refiner_list").$type<RefinerList>(),
  sourcingSha256: text("sourcing_sha256"),
  /** Of its making, as it is stamped on it. */
  year: smallint("year"),
});

/** Counts of the bars of a place, or of the whole vault: `place` is null (Decisions D101, D104). */
export const vaultCounts = pgTable("vault_counts", {
  /** That of the act. */
  countId: uuid("count_id").notNull(),
  place: text("place"),
  countedAt: moment("counted_at").notNull(),
  countedBy: text("counted_by").notNull(),
  /** Null for counts from before D104, and where all pools were counted together. */
  poolId: text("pool_id"),
  /** The pool's version that was in force; null before its first bar too. */
  version: integer("version"),
  /** Whether all bars of the pool were counted; null if it names no pool. */
  isWhole: boolean("is_whole"),
  /** Whether it settles what earlier counts found only once an inspector signed it; null for counts from before D106. */
  needsInspector: boolean("needs_inspector"),
});

/** Inspectors' signatures under counts (Decision D106). */
export const vaultCountSignatures = pgTable("vault_count_signatures", {
  countId: uuid("count_id").notNull(),
  keyId: text("key_id").notNull(),
  /** Compact JWS of type `sabika-count`. */
  jws: text("jws").notNull(),
  inspectedAt: moment("inspected_at").notNull(),
});

/** Why two people accepted what a count found (Decision D104). */
export const vaultCountAcceptances = pgTable("vault_count_acceptances", {
  countId: uuid("count_id").notNull(),
  reason: text("reason").notNull(),
  acceptedAt: moment("accepted_at").notNull(),
});

/** The bars of counts. */
export const vaultCountLines = pgTable("vault_count_lines", {
  countId: uuid("count_id").notNull(),
  serial: text("serial").notNull(),
  /** As the bar was recorded, as are fineness and weight; null for one that was not expected. */
  refiner: text("refiner"),
  finenessTenThousandths: integer("fineness_ten_thousandths"),
  /** Gross. */
  weightMicrograms: bigint("weight_micrograms", { mode: "bigint" }),
  isSeen: boolean("is_seen").notNull(),
  /** Gross, as the bar was weighed; null if it was not. */
  weighedMicrograms: bigint("weighed_micrograms", { mode: "bigint" }),
  finding: text("finding").$type<"found" | "missing" | "unexpected" | "different">().notNull()
    .generatedAlwaysAs(sql`case
      when weight_micrograms is null then 'unexpected'
      when not is_seen then 'missing'
      when weighed_micrograms <> weight_micrograms then 'different'
      else 'found' end`),
});

/** Keys of inspectors and auditors, ended ones too (Decision D106); none is ever taken out. */
export const attestationKeys = pgTable("attestation_keys", {
  /** RFC 7638 thumbprint. */
  keyId: text("key_id").notNull(),
  role: text("role").$type<AttestationRole>().notNull(),
  /** Whose it is. */
  holder: text("holder").notNull(),
  publicKey: jsonb("public_key").$type<PublicJwk>().notNull(),
  validFrom: moment("valid_from").notNull(),
  validUntil: moment("valid_until"),
  /** The signed act that registered it; null where nobody signs. */
  actId: uuid("act_id"),
});
