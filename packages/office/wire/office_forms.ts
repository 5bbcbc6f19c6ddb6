import type { TokenKeyEntry } from "@sabika/identity/tokens";
import type { AuditEntry, Operator, SignedEntry } from "@sabika/service/audit";
import type { AuthorityInForce } from "@sabika/service/deployment";
import type { FoundDifference } from "@sabika/service/ledger";
import type { PriceOrigin, RefusedPriceRow } from "@sabika/service/prices";
import type { ApprovalPolicy, ApprovalRule } from "../acts/approval_rules.ts";
import type { ActOutcome } from "../acts/find_act_outcome.ts";
import type { Line } from "../acts/dossier/line.ts";
import type { Approval } from "../acts/read_approvals.ts";
import type { BooksRecount } from "../oversight/recount_books.ts";
import {
  ATTESTATION_ROLES,
  type AttestationKey,
  BOOLEAN,
  type Environment,
  ENVIRONMENTS,
  type Form,
  INTEGER,
  list,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  type PublicJwk,
  type ReceiptKey,
  STRING,
  TIME,
} from "@sabika/protocol";
import { mapped, member, record } from "@sabika/protocol/record-form";
import { BIG_TEXT, jsonArray, jsonObject, SEQUENCE } from "./values.ts";

/** The form of a name of one of the service's closed lists; names are not checked when read. */
const named = <T extends string>(): Form<T> =>
  mapped(STRING, { toWire: (name: T) => name, fromWire: (name) => name as T });

/** The form of a request for approval, decided or not. */
export const APPROVAL: Form<Approval> = record<Approval>("approval", {
  id: member("id", STRING),
  act: member("act", STRING),
  arguments: member("arguments", jsonObject<Approval["arguments"]>()),
  dossier: member(
    "dossier",
    nullable(jsonArray<Line>()),
    "The facts that it was made on, line by line; null for a request from before dossiers.",
  ),
  requester: member("requester", STRING),
  requestedAtMs: member("requested_at", TIME),
  expiresAtMs: member("expires_at", TIME),
  state: member(
    "state",
    oneOf(
      ["waiting", "approved", "expired", "done", "rejected", "void"] as const,
    ),
  ),
  decider: member("decider", nullable(STRING)),
  decidedAtMs: member("decided_at", nullable(TIME)),
  reason: member("reason", nullable(STRING)),
  sha256: member("sha256", STRING, "An argument of `approval.approve`."),
  facts: member("facts", STRING, "What it was asked for on, JSON text."),
});

/** The form of what became of a signed act. */
export const ACT_OUTCOME: Form<ActOutcome> = record<ActOutcome>("act outcome", {
  name: member("name", STRING),
  state: member(
    "state",
    named(),
    "Done, or what a request for approval is; or `unbooked`, `refused`.",
  ),
  reason: member("reason", nullable(STRING)),
  untilMs: member("until", nullable(TIME), "Of what waits: how long."),
});

const ENTRY = {
  auditId: member("sequence", SEQUENCE),
  atMs: member("at", TIME),
  who: member("who", STRING),
  from: member("from", STRING),
  action: member("action", STRING),
  clientId: member("client_id", nullable(STRING)),
  detail: member("detail", jsonObject<AuditEntry["detail"]>()),
};

/** The form of an entry of the audit log, with its signature. */
export const SIGNED_ENTRY: Form<SignedEntry> = record<SignedEntry>("signed audit entry", {
  ...ENTRY,
  signature: member(
    "signature",
    nullable(record<NonNullable<SignedEntry["signature"]>>("entry signature", {
      keyId: member("key_id", STRING, "RFC 7638 thumbprint."),
      rpId: member("rp_id", nullable(STRING), "Of a passkey: its host."),
      fits: member("fits", BOOLEAN, "The key is the person's, and signed this very act."),
      dossier: member(
        "dossier",
        nullable(jsonArray<object>()),
        "What was signed that it is about; null where no dossier was signed.",
      ),
    })),
    "Null: nobody signed it.",
  ),
});

/** The last entry of the audit log. */
export interface AuditHeadView {
  readonly auditId: bigint;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** The form of the audit log's head. */
export const AUDIT_HEAD: Form<AuditHeadView> = record<AuditHeadView>("audit head", {
  auditId: member("sequence", SEQUENCE),
  hash: member("hash", STRING, "SHA-256, hex."),
});

/** A person, without database ids and the credential ids that only their browser needs. */
export interface OperatorView extends Omit<Operator, "operatorId" | "keys"> {
  readonly keys: readonly Omit<Operator["keys"][number], "credentialId">[];
}

/** The form of a person. */
export const OPERATOR: Form<OperatorView> = record<OperatorView>("operator", {
  name: member("name", STRING),
  enabled: member("enabled", BOOLEAN),
  roles: member("roles", list(named<OperatorView["roles"][number]>())),
  createdAtMs: member("created_at", TIME),
  keys: member(
    "keys",
    list(record<OperatorView["keys"][number]>("operator key", {
      keyId: member("key_id", STRING, "RFC 7638 thumbprint."),
      publicJwk: member("public_jwk", jsonObject<PublicJwk>()),
      rpId: member("rp_id", nullable(STRING), "Of a passkey: its host."),
      validFromMs: member("valid_from", TIME),
      validUntilMs: member("valid_until", nullable(TIME)),
    })),
  ),
  identities: member(
    "identities",
    list(record<OperatorView["identities"][number]>("operator identity", {
      issuer: member("issuer", STRING),
      subject: member("subject", STRING, "As the provider's ID tokens have it."),
      validFromMs: member("valid_from", TIME),
      validUntilMs: member("valid_until", nullable(TIME)),
    })),
  ),
});

/** The form of the rules by which acts need two people. */
export const POLICY: Form<ApprovalPolicy> = record<ApprovalPolicy>("policy", {
  rules: member(
    "rules",
    list(record<ApprovalRule>("rule", {
      act: member("act", STRING),
      conditions: member("conditions", list(STRING), "Any of these; none: always."),
      approvers: member("approvers", list(named<ApprovalRule["approvers"][number]>())),
    })),
  ),
  waitSeconds: member("wait_seconds", INTEGER),
  leastAdministrators: member("least_administrators", INTEGER),
});

/** The source of prices and its settings. */
export interface PricesView {
  readonly source: PriceOrigin["source"];
  readonly paused: boolean;
  readonly updatedAtMs: number;
  /** SAR per gram; null unless the price is fixed. */
  readonly midTenThousandths: bigint | null;
  /** Without its query, which may hold a key. */
  readonly feedUrl: string | null;
}

/** The form of the source of prices. */
export const PRICES: Form<PricesView> = record<PricesView>("prices", {
  source: member("source", oneOf(["simulated", "fixed", "feed"] as const)),
  paused: member("paused", BOOLEAN),
  midTenThousandths: member("mid_price_sar", nullable(PRICE_PER_GRAM), "If fixed."),
  feedUrl: member("feed_url", nullable(STRING), "Without its query."),
  updatedAtMs: member("updated_at", TIME),
});

/** The form of a price that was refused. */
export const REFUSED_PRICE: Form<RefusedPriceRow> = record<RefusedPriceRow>("refused price", {
  refusedAt: member("refused_at", TIME),
  reason: member("reason", STRING),
  origin: member("origin", nullable(STRING), "The feed's host."),
  rawValue: member("raw_value", nullable(STRING), "The number as it came, if there was one."),
  midTenThousandths: member("mid_price_sar", nullable(PRICE_PER_GRAM)),
  asOf: member("as_of", nullable(TIME), "The feed's own time."),
});

/** The form of a key for access tokens. */
export const TOKEN_KEY: Form<TokenKeyEntry> = record<TokenKeyEntry>("token key", {
  keyId: member("key_id", STRING, "RFC 7638 thumbprint."),
  state: member("state", oneOf(["coming", "signing", "verifying"] as const)),
  validFromMs: member("signs_from", TIME),
  validUntilMs: member("verifies_until", nullable(TIME), "Null while nothing ends it."),
});

/** The form of a key for receipts. */
export const RECEIPT_KEY: Form<Pick<ReceiptKey, "keyId" | "validFromMs" | "validUntilMs">> = record(
  "receipt key",
  {
    keyId: member("key_id", STRING, "RFC 7638 thumbprint."),
    validFromMs: member("signs_from", TIME),
    validUntilMs: member("ends", nullable(TIME), "Null while it signs."),
  },
);

/** The form of a key of an inspector or auditor. */
export const ATTESTATION_KEY: Form<Omit<AttestationKey, "x" | "y">> = record("attestation key", {
  keyId: member("key_id", STRING, "RFC 7638 thumbprint."),
  role: member("role", oneOf(ATTESTATION_ROLES)),
  holder: member("holder", STRING, "Whose it is."),
  validFromMs: member("valid_from", TIME),
  validUntilMs: member("valid_until", nullable(TIME), "Null while it is valid."),
});

/** The form of an authority in force. */
export const AUTHORITY: Form<AuthorityInForce> = record<AuthorityInForce>("authority", {
  name: member("name", oneOf(["root", "issuing"] as const)),
  sha256: member("sha256", STRING),
  validUntilMs: member("valid_until", TIME),
});

/** The form of a difference that a recount found. */
const DIFFERENCE: Form<FoundDifference> = record<FoundDifference>("difference", {
  clientId: member("client_id", nullable(STRING)),
  check: member("check", named<FoundDifference["check"]>()),
  subject: member("subject", STRING),
  expected: member(
    "expected",
    BIG_TEXT,
    "Minor units, counts or epoch milliseconds, by the check.",
  ),
  actual: member("actual", BIG_TEXT),
});

/** The form of what a recount found. */
export const RECOUNT: Form<BooksRecount> = record<BooksRecount>("recount", {
  differences: member("data", list(DIFFERENCE)),
  partners: member("partners", INTEGER, "How many were recounted."),
  unpricedOrders: member(
    "unpriced_orders",
    BIG_TEXT,
    "Orders whose quotes are from before prices were recorded: not recounted against a price.",
  ),
  sinceMs: member("since", nullable(TIME), "Null: from the first transfer."),
});

/** The deployment as the office describes it. */
export interface DeploymentView {
  readonly environment: Environment;
  /** Since when acts need a person; null while they do not. */
  readonly peopleSinceMs: number | null;
  /** Whether the database holds the root key, as release 1.0.0 kept it. */
  readonly rootKeyInDatabase: boolean;
}

/** The form of the deployment. */
export const DEPLOYMENT: Form<DeploymentView> = record<DeploymentView>("deployment", {
  environment: member("environment", oneOf(ENVIRONMENTS)),
  peopleSinceMs: member("people_since", nullable(TIME), "Since when acts need a person."),
  rootKeyInDatabase: member("root_key_in_database", BOOLEAN),
});
