/** A query parameter of a list, besides its page and its period. */
export interface Filter {
  /** The values that it may have; any text when left out. */
  readonly values?: readonly string[];
  /** Whether it is a number of items. */
  readonly isCount?: boolean;
  /** The command's flag for it; none when left out. */
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
 * @param brief the flag's description in the command's help
 */
export function state(values: readonly string[], brief = "Of this status"): Filter {
  return { values, flag: { name: "status", brief } };
}
