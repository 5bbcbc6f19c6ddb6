/** Returns the options of `deno run` that the sandbox needs with these arguments. */
export declare function sandboxPermissions(args: readonly string[]): string[];
