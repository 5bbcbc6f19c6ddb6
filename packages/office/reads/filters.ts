/** What a list may be asked for, beside its page and its period. */
export interface Filter {
  /** What it may be; any text when left out. */
  readonly values?: readonly string[];
  /** Whether it is a number of items. */
  readonly isCount?: boolean;
  /** How the command asks for it; left out: it does not. */
  readonly flag?: {
    readonly name: string;
    readonly brief: string;
    readonly placeholder?: string;
  };
}

/** Narrows a list of all partners to one. */
export const OF_PARTNER: Filter = {
  flag: { name: "partner", brief: "Of this partner alone", placeholder: "ID" },
};

/**
 * Narrows a list to one of several states.
 *
 * @param brief what the command says of it
 */
export function state(values: readonly string[], brief = "Of this status"): Filter {
  return { values, flag: { name: "status", brief } };
}
