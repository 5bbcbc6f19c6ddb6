/** The argument `ID` of commands. */
export const ID = ["ID", "The partner's client id"] as const;
