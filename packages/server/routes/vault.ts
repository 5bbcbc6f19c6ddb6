import { refuse, VAULT } from "@sabika/protocol";
import type { VaultReader } from "@sabika/service/vault";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/vault: the partner's pool as it is now (Decision D102). */
export function vaultRoute({ vaultReader }: { vaultReader: VaultReader }): Route<ReadCall> {
  return async ({ partner: { partnerId } }) => {
    const vault = await vaultReader.vault(partnerId);
    return vault === undefined ? refuse("not_found") : json(VAULT.write(vault));
  };
}

/** GET /v1/vault/versions/{id}: a version as it was hashed, byte for byte. */
export function vaultVersionRoute({ vaultReader }: { vaultReader: VaultReader }): Route<ReadCall> {
  return async ({ partner: { partnerId } }, number) => {
    const text = /^[1-9][0-9]{0,8}$/.test(number)
      ? await vaultReader.version(partnerId, Number(number))
      : undefined;
    return text === undefined ? refuse("not_found") : json(text);
  };
}
