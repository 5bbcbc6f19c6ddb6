/** One file of vectors: what it is for, what it follows from, and its tables. */
export interface VectorFile {
  readonly about: string;
  /** Where the rules stand. */
  readonly source: string;
  readonly [table: string]: unknown;
}

/** The file's text: what is committed, byte for byte. */
export function renderVectorFile(file: VectorFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
