/** The last preparations of a new deployment: the first person's link and a simulated vault. */
export { inviteFirstPerson } from "./invite_first_person.ts";
export { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "./simulated_vault.ts";
