/** The version of the service and of `sabika`, as `package.json` and CHANGELOG.md have it. */
export const VERSION = "1.0.0";
