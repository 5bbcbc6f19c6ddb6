/** What a new deployment is given before it serves. */
export { inviteFirstPerson } from "./invite_first_person.ts";
export { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "./simulated_vault.ts";
