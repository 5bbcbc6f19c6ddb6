/** The partner's direction: buy = SAR out, gold in (Decision D1). */
export const SIDES = ["buy", "sell"] as const;
export type Side = (typeof SIDES)[number];
