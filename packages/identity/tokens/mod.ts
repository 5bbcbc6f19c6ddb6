/** The keys that sign access tokens, and tokens that were revoked. */
export { listTokenKeys, type TokenKeyEntry } from "./list_token_keys.ts";
export { readRevokedTokens, revokeToken, type TokenToRevoke } from "./revoked_tokens.ts";
export { revokedTokens, tokenKeys } from "./tables.ts";
export {
  endOlderTokenKeys,
  ensureTokenKey,
  insertTokenKey,
  openTokenKeys,
  readSealedTokenKeys,
  readTokenKeys,
  type SealedTokenKey,
  TOKEN_KEY_LEAD_MS,
  type TokenKey,
  tokenKeyIdentity,
} from "./token_keys.ts";
