/** Something that a search found. */
export interface Hit {
  readonly kind:
    | "order"
    | "quote"
    | "event"
    | "withdrawal"
    | "funding"
    | "partner"
    | "bar";
  /** As people know it: `ord_…`, a client id, a serial. */
  readonly id: string;
  readonly clientId: string | null;
  /** A partner's name. */
  readonly name?: string;
  /** Whether the text names it, rather than a part of its name. */
  readonly isExact: boolean;
  readonly amountHalalas?: bigint;
  readonly atMs?: number;
}
