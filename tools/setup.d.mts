/** The repository's folder, with a slash at the end. */
export declare const ROOT: string;
/** An error whose message is shown without a stack. */
export declare class SetupError extends Error {}
/** Installs the packages of package-lock.json if needed; `dev`: also those of checks and tests. */
export declare function ensurePackages(options: { dev: boolean }): Promise<void>;
/** Returns the path of the Deno on which the tests run, which is installed if needed. */
export declare function ensureDeno(): Promise<string>;
/** Runs `main`; a `SetupError` becomes one line and exit 1. */
export declare function runMain(main: () => Promise<void>): Promise<void>;
