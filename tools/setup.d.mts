/** The repository's folder, with a slash at the end. */
export declare const ROOT: string;
/** An error whose message is all that people need; a stack would not help them. */
export declare class SetupError extends Error {}
/** Installs the packages of package-lock.json if need be; `dev`: those of checks and tests too. */
export declare function ensurePackages(options: { dev: boolean }): Promise<void>;
/** The path of the Deno that the tests run on, which is installed if need be. */
export declare function ensureDeno(): Promise<string>;
/** Runs `main`; a `SetupError` becomes one line and exit 1. */
export declare function runMain(main: () => Promise<void>): Promise<void>;
