import { lineOf } from "./violation.ts";

/** An import: its specifier, and its line, from 1. */
export interface Import {
  specifier: string;
  line: number;
}

// The code is formatted: a static import starts its line, and strings have double quotes.
const STATIC = /^(?:import|export)\s(?:[^;"']*?\sfrom\s)?\s*"([^"]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"]+)"/g;

/** Reads all imports and re-exports of a TypeScript or JavaScript file, including types and `import()`. */
export function readImports(text: string): Import[] {
  const found = new Map<string, Import>();
  for (const pattern of [STATIC, DYNAMIC]) {
    for (const match of text.matchAll(pattern)) {
      const line = lineOf(text, match.index);
      if (/^\s*(\*|\/\/)/.test(text.split("\n")[line - 1] ?? "")) continue;
      found.set(`${line} ${match[1]}`, { specifier: match[1]!, line });
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}
