/** What `ID` is, in every command that has one. */
export const ID = ["ID", "The partner's client id"] as const;
