export declare function sandboxPermissions(args: readonly string[]): string[];
