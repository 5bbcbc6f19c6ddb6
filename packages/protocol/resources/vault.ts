import { COUNTING, DIGITS, SHA256_HEX } from "../digit_forms.ts";
import { BOOLEAN, type Form, INTEGER, nullable, STRING, TIME } from "../form.ts";
import { member, record } from "../record_form.ts";

/** Who inspected a count, and what proves it (Decision D106). */
export interface CountInspection {
  /** Whose key signed the count. */
  readonly by: string;
  /** The key's RFC 7638 thumbprint. */
  readonly keyId: string;
  /** The inspector's signature, for `verifyCount`. */
  readonly signature: string;
}

/** The last count of the pool, or of the whole vault (Decisions D101, D104). */
export interface LastCount {
  /** When it was counted. */
  readonly countedAtMs: number;
  /** How long ago that was. */
  readonly ageSeconds: number;
  /** Whether all bars were there as they are recorded, and no others. */
  readonly agrees: boolean;
  /** The SHA-256 of its canonical JSON; null where several pools were counted together. */
  readonly sha256: string | null;
  /** Null while no inspector from outside has signed it. */
  readonly inspected: CountInspection | null;
}

/** The partner's pool of bars as it is now: GET /v1/vault (Decision D102). */
export interface Vault {
  /** Its id. */
  readonly poolId: string;
  /** The number of the version in force. */
  readonly version: number;
  /** The SHA-256 of that version's canonical JSON. */
  readonly hash: string;
  /** Since when it is in force. */
  readonly madeAtMs: number;
  /** The fine weight of its bars. */
  readonly fineMicrograms: bigint;
  /** How many bars it has. */
  readonly bars: number;
  /** Null if the whole vault was never counted. */
  readonly lastCount: LastCount | null;
}

/** The form of GET /v1/vault. */
export const VAULT: Form<Vault> = record<Vault>("vault", {
  poolId: member("pool", STRING, "The pool that you draw on."),
  version: member("version", COUNTING, "The number of its version in force."),
  hash: member(
    "hash",
    SHA256_HEX,
    "The SHA-256 of that version, as `/v1/vault/versions/{id}` has it.",
  ),
  madeAtMs: member("made_at", TIME, "Since when it is in force."),
  fineMicrograms: member("fine_ug", DIGITS, "The fine weight of its bars, in micrograms."),
  bars: member("bars", INTEGER, "How many bars it has."),
  lastCount: member(
    "last_count",
    nullable(record<LastCount>("last count", {
      countedAtMs: member("counted_at", TIME),
      ageSeconds: member("age_seconds", INTEGER, "How long ago that was."),
      agrees: member("agrees", BOOLEAN, "Whether all bars were there as recorded, and no others."),
      sha256: member(
        "sha256",
        nullable(SHA256_HEX),
        "The SHA-256 of its canonical JSON; null where several pools were counted together.",
      ),
      inspected: member(
        "inspected",
        nullable(record<CountInspection>("count inspection", {
          by: member("by", STRING, "Whose key signed it."),
          keyId: member("key", STRING, "The key's RFC 7638 thumbprint."),
          signature: member(
            "signature",
            STRING,
            "A compact JWS, ES256, of type `sabika-count`, whose payload is that JSON.",
          ),
        })),
        "Null while no inspector from outside has signed it.",
      ),
    })),
    "The last count of the whole vault; null if there was none.",
  ),
});
