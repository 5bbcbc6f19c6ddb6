import type { Role } from "@sabika/terms";

/** The person who asks: signed in, or by a request that their key signed. */
export interface Person {
  readonly operatorId: number;
  readonly name: string;
  readonly roles: readonly Role[];
  /** The passkey or key they used; null when they signed in by the company's provider (Decision D84). */
  readonly keyId: string | null;
  /** When they have to sign in again, epoch milliseconds; null for a signed request. */
  readonly signedInUntilMs: number | null;
}
