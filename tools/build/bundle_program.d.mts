export declare function bundleProgram(what: {
  folder: string;
  program: string;
  out?: string;
  external: readonly string[];
  isSplit: boolean;
}): Promise<string[]>;
