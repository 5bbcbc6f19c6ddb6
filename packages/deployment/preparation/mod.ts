/** Prepares a new deployment: a link for the first person, and the gold of a simulated vault. */
export { inviteFirstPerson } from "./invite_first_person.ts";
export { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "./simulated_vault.ts";
