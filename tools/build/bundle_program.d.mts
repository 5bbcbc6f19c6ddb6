export declare function bundleProgram(what: {
  root: string;
  program: string;
  out: string;
  runsIn?: string;
  external: readonly string[];
  isSplit: boolean;
}): Promise<string[]>;
