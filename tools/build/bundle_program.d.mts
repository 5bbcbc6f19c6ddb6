/** Bundles a program with all that it imports; `bundle_program.mjs` describes the parameters. */
export declare function bundleProgram(what: {
  root: string;
  program: string;
  out: string;
  runsIn?: string;
  external: readonly string[];
  isSplit: boolean;
}): Promise<string[]>;
