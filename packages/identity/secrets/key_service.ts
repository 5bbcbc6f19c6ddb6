/**
 * The keeper of the deployment's keys (Decision D73): it seals and opens values of the database, and
 * signs with keys that never leave it.
 */
export interface KeyService {
  /** Seals a value for the row with this identity, such as `token_keys/<key id>`. */
  seal(identity: string, plain: Uint8Array): Promise<Uint8Array>;
  /**
   * Opens a value that was sealed for this row.
   *
   * @throws Error if the key is missing, or the value was changed or belongs to another row
   */
  open(identity: string, sealed: Uint8Array): Promise<Uint8Array>;
  /** Makes a signing key (P-256): returns its SubjectPublicKeyInfo, and the private key as stored. */
  makeSigningKey(identity: string): Promise<{ publicKey: ArrayBuffer; sealedKey: Uint8Array }>;
  /**
   * Signs with the key of this row (ES256).
   *
   * @param sealedKey the private key as stored in the row
   * @returns the signature's two numbers, 32 bytes each (IEEE P1363)
   */
  sign(identity: string, sealedKey: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
  /** The id of the key that seals now. */
  readonly currentId: string;
  /** Whether a value is sealed with the key that {@linkcode KeyService.seal} uses now. */
  isCurrent(sealed: Uint8Array): boolean;
}
