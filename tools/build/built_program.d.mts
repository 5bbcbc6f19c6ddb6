/** Builds a program when its sources have changed; returns the path of the bundle. */
export declare function builtProgram(root: string, program: string): Promise<string>;
