/** The two environments, which share nothing (Decision D40). */
export const ENVIRONMENTS = ["sandbox", "production"] as const;
/** One of {@link ENVIRONMENTS}. */
export type Environment = (typeof ENVIRONMENTS)[number];
