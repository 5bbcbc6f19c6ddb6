import type { SimulationName } from "@sabika/protocol";

/** What a partner's own integration is asked to do, one at a time. Amounts are text with decimals. */
export type Step =
  & (
    | { readonly do: "probe" }
    | { readonly do: "price" }
    | { readonly do: "balances" }
    | { readonly do: "quote"; readonly side: "buy" | "sell"; readonly gold_grams: string }
    | { readonly do: "quote"; readonly side: "buy" | "sell"; readonly amount_sar: string }
    | { readonly do: "order"; readonly quote_id: string; readonly key: string }
    | { readonly do: "withdraw"; readonly amount_sar: string; readonly key: string }
    | { readonly do: "cancel"; readonly id: string; readonly key: string }
    | { readonly do: "handled" }
  )
  & {
    /** To be sent as `Sabika-Simulate` with the first attempt alone. */
    readonly simulate?: SimulationName;
  };

/** What came of a step. */
export type StepResult =
  | {
    readonly ok: true;
    /** The id of what was made. */
    readonly id?: string;
    /** Of `balances`. */
    readonly sar?: string;
    /** Of `balances`. */
    readonly gold_grams?: string;
    /** Of `handled`: the ids of events in the order in which they were handled. */
    readonly events?: readonly string[];
  }
  /** The service's code, or a word of the integration's own. */
  | { readonly ok: false; readonly code: string };

/** The program that is rehearsed. */
export interface Integration {
  /** For the report. */
  readonly name: string;
  do(step: Step): Promise<StepResult>;
  close(): Promise<void>;
}
