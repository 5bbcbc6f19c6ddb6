export declare function builtProgram(root: string, program: string): Promise<string>;
