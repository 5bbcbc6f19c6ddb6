/**
 * Builds a program for Node unless its last build is current.
 *
 * @param root folder of the repository, with its packages installed
 * @param program its path below `root`
 * @returns path of the file to run
 */
export declare function builtProgram(root: string, program: string): Promise<string>;
