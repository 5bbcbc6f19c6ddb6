/** The version of this package, in `User-Agent` and in `sabika-client --version`. */
export const VERSION = "1.0.0";
