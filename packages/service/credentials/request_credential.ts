import {
  type CredentialRequest,
  formatId,
  type IdempotentOutcome,
  type Outcome,
  OVERLAP_SECONDS_DEFAULT,
  type Refusal,
  refuse,
  type RequestedCredential,
  type RequestedKind,
  type SignedEvidence,
  uuidV7,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { readSigningRequest, signingKeyOf } from "@sabika/identity/certificates";
import type { SignedCommand } from "../batches/commands.ts";
import { keyConflict } from "../batches/refusals.ts";
import { resourceId } from "../idempotency/resource_id.ts";
import type { PartnerRecord } from "../partners/records.ts";
import { findKeyUse } from "./find_key_use.ts";

/** Asks for a new certificate or signing key. */
export interface CredentialCommand extends SignedCommand<CredentialRequest> {
  readonly partner: PartnerRecord;
  readonly kind: RequestedKind;
  /** The SHA-256 in hex of the certificate that the request came with. */
  readonly certificateHash: string;
}

/** What asking needs of the partner's own cell. */
export interface CredentialCell {
  spendNonce(
    nonce: { partnerId: number; value: string; timestampSeconds: number },
  ): Promise<boolean>;
  findIdempotencyKey(
    query: { partnerId: number; idempotencyKey: string },
  ): Promise<{ readonly resourceId: string } | undefined>;
  keepKey(item: { command: SignedCommand<unknown>; id: string }): Promise<Refusal | undefined>;
}

/** Where requests are kept, and what becomes of them. */
export interface RequestingParts {
  /** Control's, for what is written. */
  readonly database: Database;
  /** Control's, for what is only read: who looks a key up holds up no trade. */
  readonly reading: Database;
  readonly cell: CredentialCell;
  readonly random: (length: number) => Uint8Array;
  /** Called with the UUID of a request that is kept, before each answer to it: a sandbox issues at once. */
  readonly onRequest?: ((requestId: string) => Promise<void>) | undefined;
}

/**
 * Keeps a partner's request for a credential until the operator decides on it (Decision D120). Nothing is certified:
 * a server has no key to do so.
 *
 * @returns the request as it was received, also if it was decided since (Decision D28); a wrong signing request, a
 * key that is or was somebody's, and a second pending request of the kind are refused
 */
export async function requestCredential(
  { database, reading, cell, random, onRequest }: RequestingParts,
  command: CredentialCommand,
): Promise<IdempotentOutcome<RequestedCredential>> {
  const { partner: { partnerId }, nonce, kind, evidence, idempotencyKey, parameters } = command;
  if (!await cell.spendNonce({ partnerId, ...nonce })) return refuse("nonce_reused");
  // A key that is known needs no more than its answer; otherwise this must be something new.
  const [known] = await reading.sql`select from credential_requests
    where partner_id = ${partnerId}::integer and key_hash = short_hash(${idempotencyKey})`;
  const judged = known === undefined ? await judge({ reading, cell }, command) : undefined;
  if (judged?.ok === false) return judged;
  const { overlapSeconds } = command.request;
  const replaces = kind === "certificate" ? command.certificateHash : evidence.keyId;
  const { value: nonceText, timestampSeconds } = nonce;
  const signed: SignedEvidence = { ...evidence, nonce: nonceText, timestampSeconds };
  const [row] = await database.sql<KeptRow[]>`
    select result, (request).request_id as id, (request).key_id as "keyId", (request).replaces,
      (request).overlap_seconds as "overlapSeconds",
      (extract(epoch from (request).created_at) * 1000)::float8 as "createdAtMs"
    from request_credential(${partnerId}::integer,
      ${uuidV7(command.receivedAtMs, random)}::uuid, ${idempotencyKey}, ${parameters}, ${kind},
      ${judged?.value ?? ""}, ${replaces}, ${overlapSeconds ?? OVERLAP_SECONDS_DEFAULT}::integer,
      ${JSON.stringify(signed)})`;
  const { result, id, ...kept } = row!;
  if (result === "idempotency_key_conflict") return keyConflict("credential", id);
  if (result === "pending") {
    return refuse("credential_request_pending", {
      meta: { resource_id: resourceId("credential", id) },
    });
  }
  const unnoted = await cell.keepKey({ command, id }).catch(() => UNKNOWN);
  if (unnoted !== undefined) return UNKNOWN;
  await onRequest?.(id);
  const value = { ...kept, id: formatId("cr", id), kind, ...UNDECIDED };
  return { ok: true, replayed: result === "replayed", value };
}

/** A row of `request_credential`. */
interface KeptRow
  extends Pick<RequestedCredential, "keyId" | "replaces" | "overlapSeconds" | "createdAtMs"> {
  readonly result: "created" | "replayed" | "idempotency_key_conflict" | "pending";
  readonly id: string;
}

/** What no answer to the request itself has: it is the same for ever (Decision D28). */
const UNDECIDED = {
  status: "pending",
  decidedAtMs: null,
  replacedEndsAtMs: null,
  certificate: null,
  refusalReason: null,
} as const;

/** It is kept, but that its key made it is not yet known to the partner's cell: a repeat notes it. */
const UNKNOWN: Refusal = refuse("outcome_unknown", { retryAfterSeconds: 1 });

/** Returns the id of the key in the signing request, or why it is refused. */
async function judge(
  { reading: { sql }, cell }: Pick<RequestingParts, "reading" | "cell">,
  { partner, idempotencyKey, kind, request: { csr } }: CredentialCommand,
): Promise<Outcome<string>> {
  const { partnerId, clientId, signingKeys } = partner;
  const taken = await cell.findIdempotencyKey({ partnerId, idempotencyKey });
  if (taken !== undefined) {
    return refuse("idempotency_key_conflict", { meta: { resource_id: taken.resourceId } });
  }
  const request = await readSigningRequest(csr, clientId);
  if (!request.ok) return refuse("invalid_csr", sentence(request.detail));
  const key = await signingKeyOf(request.value.publicKey);
  const purpose = kind === "certificate" ? kind : "signing key";
  // Not whose: that is nobody else's business.
  return await findKeyUse(sql, partnerId, key, purpose) !== undefined ||
      kind === "signing_key" && signingKeys.some(({ keyId }) => keyId === key.keyId)
    ? refuse("key_in_use", `Make a new key for the ${purpose}.`)
    : { ok: true, value: key.keyId };
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;
