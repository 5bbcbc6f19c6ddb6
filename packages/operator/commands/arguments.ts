/** The argument `ID` of commands. */
export const ID = ["ID", "The partner's client id"] as const;

/** The argument `NAME` of commands about people. */
export const NAME = ["NAME", "A person's name, as in `operator list`"] as const;
