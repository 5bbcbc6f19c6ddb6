/** The version of this package, in `sabika --version`. */
export const VERSION = "1.0.0";
