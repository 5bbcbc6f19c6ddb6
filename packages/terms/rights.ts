import { type Role, ROLES } from "./names.ts";

const EVERYBODY = ROLES;
/** Custodians see bars and places, and nobody's balances. */
const NOT_CUSTODIANS = [
  "auditor",
  "support",
  "partners",
  "treasury",
  "vault",
  "prices",
  "administrator",
] as const;
const KEEPERS = ["vault", "custodian"] as const;
const DECIDERS = ["partners", "treasury", "vault", "prices", "administrator"] as const;
const EMERGENCY = ["partners", "administrator"] as const;

/**
 * Who may do what (Decision D50): every act by its name, and the roles that open it, the same for
 * command, API and console. Acts that change something are named as their audit entries are; those
 * that only read end with `.read`.
 */
export const RIGHTS = {
  // What is nobody's in particular: the console's frame, and what came of one's own acts.
  "office.read": EVERYBODY,
  "partner.read": NOT_CUSTODIANS,
  "partner.create": ["partners"],
  "partner.update": ["partners"],
  "tax.set": ["partners", "treasury"],
  "partner.suspend": EMERGENCY,
  "partner.resume": ["partners"],
  "partner.move": ["administrator"],
  "partner.contact.set": ["partners"],
  "partner.contact.remove": ["partners"],
  "partner.document.set": ["partners"],
  "partner.document.remove": ["partners"],
  "partner.pool.set": ["vault"],
  "iban.set": ["partners"],
  "address.add": ["partners"],
  "address.remove": ["partners"],
  "webhook.set": ["partners"],
  "webhook.ping": ["partners", "support"],
  "webhook.enable": ["partners", "support"],
  "webhook.disable": ["partners"],
  "webhook.redeliver": ["partners", "support"],

  "credential.read": ["auditor", "support", "partners", "administrator"],
  "credential.refuse": EMERGENCY,
  "certificate.issue": ["partners"],
  "certificate.rotate": ["partners"],
  "certificate.update": ["partners"],
  "certificate.revoke": EMERGENCY,
  "revocation-list.read": EMERGENCY,
  "signing-key.add": ["partners"],
  "signing-key.rotate": ["partners"],
  "signing-key.retire": EMERGENCY,
  "client-secret.rotate": ["partners"],
  "webhook-secret.rotate": ["partners"],
  "token.revoke": EMERGENCY,

  // Bars, where they lie, and counts of them; not whose gold they back.
  "custody.read": ["auditor", "vault", "custodian", "treasury"],
  "vault.read": ["auditor", "vault", "treasury"],
  "vault.bar.add": KEEPERS,
  "vault.bar.move": KEEPERS,
  "vault.bar.remove": KEEPERS,
  "vault.bar.replace": KEEPERS,
  "vault.bar.encumber": KEEPERS,
  "vault.bar.release": KEEPERS,
  "vault.bars.add": KEEPERS,
  "pool.create": ["vault"],
  "vault.count": KEEPERS,
  "vault.count.accept": ["vault"],
  "vault.count.inspect": KEEPERS,
  "vault.allocate": ["vault"],
  "vault.release": ["vault"],

  "books.read": ["auditor", "treasury"],
  "trade.read": ["auditor", "support", "partners", "treasury"],
  "withdrawal.read": ["auditor", "support", "treasury"],
  "withdrawal.processing": ["treasury"],
  "withdrawal.completed": ["treasury"],
  "withdrawal.failed": ["treasury"],
  "withdrawal.cancelled": ["treasury"],
  "funding.credit": ["treasury"],
  "reserve.read": ["auditor", "treasury"],
  // What all commitments hide: every partner's balances.
  "reserve.openings.read": ["auditor"],
  "reserve.bank.set": ["treasury"],
  "reserve.attest": ["auditor", "treasury"],

  "price.read": EVERYBODY,
  "price.set": ["prices"],
  "price.pause": ["prices", "treasury", "administrator"],
  "price.resume": ["prices"],

  "operator.read": ["auditor", "administrator"],
  "operator.add": ["administrator"],
  "operator.enable": ["administrator"],
  "operator.disable": ["administrator"],
  "operator.role.add": ["administrator"],
  "operator.role.remove": ["administrator"],
  "operator.key.add": ["administrator"],
  "operator.key.end": ["administrator"],
  // Only a person's own key.
  "operator.key.rotate": EVERYBODY,
  "operator.link": ["administrator"],
  "operator.identity.add": ["administrator"],
  "operator.identity.end": ["administrator"],
  // Only a person's own passkey, by a link.
  "operator.passkey.add": EVERYBODY,
  "audit.read": ["auditor", "administrator"],

  // The rule of a request says which roles may decide.
  "approval.read": NOT_CUSTODIANS,
  "approval.approve": DECIDERS,
  "approval.reject": DECIDERS,
  "policy.read": EVERYBODY,
  "policy.set": ["administrator"],
  "policy.remove": ["administrator"],
  "policy.time": ["administrator"],
  "policy.administrators": ["administrator"],

  "refiner.read": ["auditor", "vault", "custodian", "treasury", "administrator"],
  "refiner.add": ["vault"],
  "refiner.end": ["vault"],
  "refiner.unlisted": ["administrator"],
  "attestation-key.read": ["auditor", "vault", "custodian", "treasury", "administrator"],
  "attestation-key.add": ["administrator"],
  "attestation-key.end": ["administrator"],
  "authority.read": ["auditor", "partners", "administrator"],
  "authority.request": ["administrator"],
  "authority.install": ["administrator"],
  "authority.export": ["administrator"],
  "master-key.read": ["auditor", "administrator"],
  "master-key.rotate": ["administrator"],
  "master-key.reseal": ["administrator"],
  "receipt-key.read": ["auditor", "administrator"],
  "receipt-key.rotate": ["administrator"],
  "token-key.read": ["auditor", "administrator"],
  "token-key.rotate": ["administrator"],
  "schema.migrate": ["administrator"],
  "cell.read": EVERYBODY,
  "cell.add": ["administrator"],
  "cell.mend": ["administrator"],
  "cell.drain": ["administrator"],
  "cell.remove": ["administrator"],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** The name of an act. */
export type ActName = keyof typeof RIGHTS;

/** The action of an audit entry: an act, a request, its repetition once approved, a request that became void, a cell's refusal, a
 * day of evidence that was closed, a reserve that was made or opened, a bar that a migration counts by its fine weight, or the pool that it makes of all. */
export type AuditAction =
  | ActName
  | "approval.request"
  | "approval.collect"
  | "approval.void"
  | "act.refused"
  | "evidence.closed"
  | "reserve.made"
  | "reserve.open"
  | "vault.bar.convert"
  | "pool.convert";

/** Whether `name` is that of an act. */
export function isActName(name: string): name is ActName {
  return Object.hasOwn(RIGHTS, name);
}

/** The roles that open the act. */
export function rolesFor(act: ActName): readonly Role[] {
  return RIGHTS[act];
}

/** Whether one of the roles opens the act. */
export function mayDo(roles: readonly Role[], act: ActName): boolean {
  return roles.some((role) => rolesFor(act).includes(role));
}
