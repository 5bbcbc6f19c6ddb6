import { ATTESTATION_ROLES, refuse } from "@sabika/protocol";
import { addAttestationKey, endAttestationKey } from "@sabika/service/vault";
import { readPublicKey } from "../people/read_public_key.ts";
import { act } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { oneOf, text } from "./arguments.ts";
import { describeEndedKey, describeOutsidersKey } from "./dossier/attestation_lines.ts";

/** Acts on the keys of inspectors and auditors (Decision D106). */
export const ATTESTATION_KEY_ACTS = {
  "attestation-key.add": act(
    { role: oneOf(ATTESTATION_ROLES), holder: checked.oneLine, key: text },
    describeOutsidersKey,
    async (admin, { role, holder, key }) => {
      const read = await readPublicKey(key);
      return read === undefined
        ? refuse("invalid_signing_key", "the key is a public key on P-256, as PEM or JWK")
        : await addAttestationKey(admin, { role, holder, ...read });
    },
  ),
  "attestation-key.end": act(
    { key: text },
    describeEndedKey,
    (admin, { key }) => endAttestationKey(admin, key),
  ),
} as const;
