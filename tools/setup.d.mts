export declare const ROOT: string;
export declare class SetupError extends Error {}
export declare function ensurePackages(options: { dev: boolean }): Promise<void>;
export declare function ensureDeno(): Promise<string>;
export declare function runMain(main: () => Promise<void>): Promise<void>;
