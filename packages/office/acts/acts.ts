import type { ActName } from "@sabika/terms";
import { CREDENTIAL_ACTS } from "./credential_acts.ts";
import { MONEY_ACTS } from "./money_acts.ts";
import { PARTNER_ACTS } from "./partner_acts.ts";
import { PARTNER_FILE_ACTS } from "./partner_file_acts.ts";
import { PEOPLE_ACTS } from "./people_acts.ts";
import { ATTESTATION_KEY_ACTS } from "./attestation_key_acts.ts";
import { REFINER_ACTS } from "./refiner_acts.ts";
import { VAULT_ACTS } from "./vault_acts.ts";

/**
 * Acts whose arguments describe them completely, by name: their arguments, their dossier, and how they are carried
 * out. Other acts need what only the command can provide (the root, files of keys, an empty database).
 */
export const CARRIED_ACTS = {
  ...PARTNER_ACTS,
  ...PARTNER_FILE_ACTS,
  ...CREDENTIAL_ACTS,
  ...VAULT_ACTS,
  ...REFINER_ACTS,
  ...ATTESTATION_KEY_ACTS,
  ...MONEY_ACTS,
  ...PEOPLE_ACTS,
} as const satisfies Partial<Record<ActName, unknown>>;
