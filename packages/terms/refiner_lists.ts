/** The lists of refiners: of the London market, and the operator's own (Decision D109). */
export const REFINER_LISTS = ["good_delivery", "own"] as const;

/** The list that a bar's refiner is on, or none. */
export type RefinerList = (typeof REFINER_LISTS)[number] | "unlisted";
