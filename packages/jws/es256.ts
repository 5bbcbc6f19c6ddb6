/** The signature algorithm of ES256 as Web Crypto names it (RFC 7518 §3.4). */
export const ES256 = { name: "ECDSA", hash: "SHA-256" } as const;
/** The curve of ES256 as Web Crypto names it (RFC 7518 §3.4). */
export const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
