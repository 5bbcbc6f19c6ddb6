/** Reasons to refuse a key. */
export const KEY_ERROR_CODES = [
  "not_a_key",
  "private_key",
  "public_key",
  "not_p256",
  "explicit_parameters",
  "compressed_point",
  "point_at_infinity",
  "not_on_curve",
  "not_for_es256",
] as const;

/** One of {@link KEY_ERROR_CODES}. */
export type KeyErrorCode = (typeof KEY_ERROR_CODES)[number];

/** An imported key, or why it is refused. */
export type KeyImport =
  | { readonly ok: true; readonly key: CryptoKey }
  | { readonly ok: false; readonly code: KeyErrorCode };

/** Makes the result for a refused key. */
export function refusedKey(code: KeyErrorCode): Extract<KeyImport, { readonly ok: false }> {
  return { ok: false, code };
}
