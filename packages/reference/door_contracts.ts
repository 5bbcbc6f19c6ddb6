import type { ErrorCode, RateClass, Scope } from "@sabika/protocol";

/** The credentials and headers that a door requires (Decision D26). */
export interface DoorContract {
  /** `optional`: a token is checked if it is sent. */
  readonly token: "required" | "optional" | "none";
  /** The scope that the token must have; absent if any token is accepted (Decision D76). */
  readonly scope?: Scope;
  readonly isSigned: boolean;
  readonly needsKey: boolean;
  readonly rateClass: RateClass;
}

/** The codes with which the sidecar itself refuses requests to any route. */
const EDGE: readonly ErrorCode[] = [
  "malformed_request",
  "request_timeout",
  "headers_too_large",
  "payload_too_large",
  "rate_limited",
  "service_unavailable",
  "outcome_unknown",
];
/** Like `EDGE`, with the codes of any route: certificate, address, duplicate headers, failures. */
const EVERYWHERE: readonly ErrorCode[] = [
  ...EDGE,
  "client_certificate_required",
  "client_certificate_unknown",
  "partner_suspended",
  "ip_not_allowed",
  "duplicate_header",
  "internal_error",
];
const TOKEN: readonly ErrorCode[] = [
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_certificate_mismatch",
  "environment_mismatch",
  "too_many_failed_authentications",
  "simulation_invalid",
];
const KEYED: readonly ErrorCode[] = [
  "idempotency_key_missing",
  "idempotency_key_invalid",
  "idempotency_key_conflict",
  "malformed_json",
  "invalid_request",
];
const SIGNED: readonly ErrorCode[] = [
  "timestamp_invalid",
  "timestamp_out_of_window",
  "nonce_invalid",
  "nonce_reused",
  "signature_missing",
  "signature_malformed",
  "signature_invalid",
  "too_many_signed_requests",
];

const NOTHING = { token: "none", isSigned: false, needsKey: false } as const;
const TOKEN_ALONE = { ...NOTHING, token: "required" } as const;
const SIGNATURE = { ...TOKEN_ALONE, isSigned: true, rateClass: "signed" } as const;
const ACT = { ...TOKEN_ALONE, scope: "read", needsKey: true, rateClass: "write" } as const;

/** The doors of `packages/server/door/doors.ts`, by their names there. */
export const DOOR_CONTRACTS = {
  health: { ...NOTHING, rateClass: "read" },
  documents: { ...NOTHING, rateClass: "read" },
  token: { ...NOTHING, rateClass: "token" },
  read: { ...TOKEN_ALONE, scope: "read", rateClass: "read" },
  act: ACT,
  actOnBody: ACT,
  fund: { ...NOTHING, token: "optional", scope: "trade", needsKey: true, rateClass: "write" },
  write: { ...TOKEN_ALONE, scope: "trade", needsKey: true, rateClass: "write" },
  probe: SIGNATURE,
  signedAct: { ...SIGNATURE, scope: "read", needsKey: true },
  signedTrade: { ...SIGNATURE, scope: "trade", needsKey: true },
  signedWithdrawal: { ...SIGNATURE, scope: "withdraw", needsKey: true },
} as const satisfies Record<string, DoorContract>;

/** The name of a door. */
export type DoorName = keyof typeof DOOR_CONTRACTS;

/** Returns the codes with which a door may refuse a request before its endpoint gets it (Decision D32). */
export function refusalsOfDoor(name: DoorName): readonly ErrorCode[] {
  // The server's own refusals there have the form of RFC 6749 §5.2.
  if (name === "token") return EDGE;
  const { token, scope, needsKey, isSigned }: DoorContract = DOOR_CONTRACTS[name];
  return [
    ...EVERYWHERE,
    ...(token === "none" ? [] : TOKEN),
    ...(scope === undefined ? [] : ["insufficient_scope" as const]),
    ...(needsKey || isSigned ? ["unsupported_media_type" as const] : []),
    ...(needsKey ? KEYED : []),
    ...(isSigned ? SIGNED : []),
  ];
}
