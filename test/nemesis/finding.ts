/** Something that contradicts an invariant of `docs/faults.md`. */
export interface Finding {
  /** I1 … I14. */
  readonly invariant: string;
  readonly partner: number;
  readonly what: string;
  /** Ids, keys and nonces that it is about: calls that name one of them are its history. */
  readonly about: readonly string[];
}

/** Takes note of a finding about something of a partner. */
export type Report = (
  invariant: string,
  of: { readonly partner: number },
  what: string,
  ...about: readonly string[]
) => void;
