/** What a new deployment is given before it serves. */
export { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "./simulated_vault.ts";
