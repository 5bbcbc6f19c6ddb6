/** The period in which a credential works; its end is the first moment at which it does not. */
export interface Validity {
  validFromMs: number;
  /** Null: until it is rotated. */
  validUntilMs: number | null;
}

/** Whether a credential works at a moment (Spec §5 Rotation). */
export function isValidAt(credential: Validity, nowMs: number): boolean {
  return credential.validFromMs <= nowMs &&
    (credential.validUntilMs === null || nowMs < credential.validUntilMs);
}
