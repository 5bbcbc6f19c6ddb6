/** What a partner needs until it is live, in the order in which it is done, each with the command that does it. */
export const CHECKLIST_COMMANDS = {
  terms: "partner update",
  tax: "tax set",
  iban: "iban set",
  contacts: "partner contact set",
  addresses: "address add",
  certificate: "certificate issue",
  signing_key: "signing-key add",
  client_secret: "client-secret rotate",
  webhook: "webhook set",
  gold: "vault allocate",
  money: "funding credit",
  delivery: "webhook ping",
  quote: null,
  active: "partner resume",
} as const;

/** A step of a partner's way until it is live. */
export type ChecklistStep = keyof typeof CHECKLIST_COMMANDS;
/** All steps, in their order. */
export const CHECKLIST_STEPS = Object.keys(CHECKLIST_COMMANDS) as [
  ChecklistStep,
  ...ChecklistStep[],
];

/** A step, and whether the database shows that it is done. */
export interface ChecklistItem {
  readonly step: ChecklistStep;
  readonly done: boolean;
  /** The command that does it, without its further arguments; null where the partner itself does it. */
  readonly command: string | null;
}
