/** Returns random bytes from Web Crypto. */
export const random = (length: number): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(length));
