import { decodeBase64 } from "@sabika/protocol";
import type { KnownSecret } from "./find_secrets.ts";

const bytes = (base64: string) => decodeBase64(base64)!;

/** The forms in which secrets are shown, and which part of each is the secret. */
const FORMS: readonly {
  kind: string;
  form: RegExp;
  secret: (inner: string) => string | Uint8Array;
}[] = [
  { kind: "client secret", form: /(sk_[\w-]{43})/g, secret: (text) => text },
  { kind: "webhook secret", form: /whsec_([A-Za-z0-9+/]{43}=)/g, secret: bytes },
  { kind: "master key", form: /^[\w.-]{1,32}:([A-Za-z0-9+/]{43}=)$/gm, secret: bytes },
  {
    kind: "private key",
    form: /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/g,
    secret: (base64) => privatePart(bytes(base64.replaceAll(/\s/g, ""))),
  },
  { kind: "access token", form: /eyJ[\w-]+\.[\w-]+\.([\w-]{86})/g, secret: (text) => text },
  { kind: "signature", form: /eyJ[\w-]+\.\.([\w-]{86})/g, secret: (text) => text },
  {
    kind: "database password",
    form: /postgres(?:ql)?:\/\/[^:/@\s]+:([^@\s]{15,})@/g,
    secret: (text) => decodeURIComponent(text),
  },
];

/**
 * Finds the secrets that a text contains on purpose: a kit's file, an operator's command, a token answer, the
 * headers of a request. The secret part of a token and of a detached signature is the encoded signature at
 * its end.
 */
export function secretsIn(text: string): KnownSecret[] {
  return FORMS.flatMap(({ kind, form, secret }) =>
    [...text.matchAll(form)].map(([, inner]) => ({ kind, value: secret(inner!) }))
  );
}

/** Returns the scalar of a P-256 key, which follows a fixed prefix in PKCS#8, or the end of a longer key. */
function privatePart(pkcs8: Uint8Array): Uint8Array {
  return pkcs8.length < 200 ? pkcs8.slice(36, 68) : pkcs8.slice(-60);
}
