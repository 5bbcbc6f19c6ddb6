/** The partner's direction: buy = SAR out, gold in (Decision D1). */
export const SIDES = ["buy", "sell"] as const;
/** The description of a side in documents. */
export const SIDE_SAYS = "From your point of view: `buy` is SAR out, gold in.";

/** One of {@link SIDES}. */
export type Side = (typeof SIDES)[number];
