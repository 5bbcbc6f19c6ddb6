/**
 * ES256 JWS, detached with unencoded payload and compact (RFC 7515, RFC 7797, RFC 7518), using only Web
 * Crypto. It imports nothing.
 */
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./base64.ts";
export { type CompactJws, type CompactJwsErrorCode, parseCompact, signCompact } from "./compact.ts";
export { rawSignatureFromDer } from "./der_signature.ts";
export { JWS_ERROR_CODES, type JwsErrorCode, type JwsRefusal } from "./error_code.ts";
export { type PublicJwk, publicJwk, thumbprint } from "./jwk.ts";
export { KEY_ERROR_CODES, type KeyErrorCode, type KeyImport } from "./key_error_code.ts";
export { type DetachedJws, parseDetached } from "./parse_detached.ts";
export { decodePem, type PemBlock } from "./pem.ts";
export { importPrivatePem, importPrivatePkcs8 } from "./private_key.ts";
export { importPublicJwk, importPublicPem, importPublicSpki } from "./public_key.ts";
export { signDetached, type SignOptions } from "./sign_detached.ts";
export { type Signer, signEs256, type SigningKey } from "./signer.ts";
export { signingInput } from "./signing_input.ts";
export { type Verification, verifyDetached, verifyParsed } from "./verify_detached.ts";
