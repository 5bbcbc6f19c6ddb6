import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";

/*
 * canonical, jws and protocol are loaded by Node, Deno, k6 and a browser as they are. What cannot
 * be in them is searched for here; that they type-check with web libraries alone is checked by
 * `tsc -p packages/protocol`.
 */
const PACKAGES = join(dirname(fileURLToPath(import.meta.url)), "..");
const ALLOWED: Record<string, readonly string[]> = {
  canonical: ["canonical"],
  jws: ["jws"],
  protocol: ["protocol", "canonical/mod.ts", "jws/mod.ts"],
};

/** Text after comments and the texts of strings are taken out, so prose may say what it likes. */
function codeOf(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

function sourcesOf(name: string): { path: string; source: string }[] {
  return readdirSync(join(PACKAGES, name), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
    .filter((path) => !path.endsWith("_test.ts") && !path.endsWith("test_keys.ts"))
    .map((path) => ({
      path: join(name, path),
      source: readFileSync(join(PACKAGES, name, path), "utf8"),
    }));
}

const SOURCES = Object.keys(ALLOWED).flatMap((name) =>
  sourcesOf(name).map((file) => ({ ...file, name }))
);

test("they import one another by relative path, through mod.ts, and nothing else", () => {
  for (const { name, path, source } of SOURCES) {
    const imports = [...source.matchAll(/\bfrom\s+"([^"]+)"|\bimport\s*\(?\s*"([^"]+)"/g)];
    for (const [, from, bare] of imports) {
      const specifier = from ?? bare ?? "";
      assert(/^\.\.?\/.*\.ts$/.test(specifier), `${path} imports ${specifier}`);
      const target = relative(PACKAGES, normalize(join(PACKAGES, dirname(path), specifier)));
      const isAllowed = ALLOWED[name]!.some((prefix) =>
        target === prefix || target.startsWith(`${prefix}/`)
      );
      assert(isAllowed, `${path} imports ${target}`);
    }
    assert(!/\bimport\s*\(/.test(codeOf(source)), `${path} imports dynamically`);
  }
});

test("their package.json has no dependencies", () => {
  for (const name of Object.keys(ALLOWED)) {
    const manifest = JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8"));
    for (
      const kind of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
    ) {
      assertEquals(Object.keys(manifest[kind] ?? {}), [], `${name} ${kind}`);
    }
  }
});

// Each is missing in k6, Deno or a browser, or makes k6 hang without a word.
const FORBIDDEN: Record<string, RegExp> = {
  "for await": /\bfor\s+await\b/,
  "async generators": /\basync\s+function\s*\*|\basync\s*\*/,
  "using": /\busing\s+[A-Za-z_$]/,
  "decorators": /^\s*@\w/m,
  "regular expressions with the v flag or property classes":
    /\/[dgimsuy]*v[dgimsuy]*[\s,.;)]|\\[pP]\{/,
  "globals that k6 has not":
    /\b(?:atob|btoa|structuredClone|queueMicrotask|Intl|performance|Buffer|process|Deno|require|setImmediate|URLSearchParams|navigator|window|document|localStorage|fetch|Headers|Request|Response|AbortController|WeakRef|FinalizationRegistry)\s*[.(]/,
  "the URL class": /\bnew\s+URL\b|\bURL\.(?:parse|canParse)\b/,
  "localised text": /\.toLocale\w+\(|\.localeCompare\(|\.normalize\(/,
  "methods that Node 20 has not":
    /\b(?:Uint8Array\.from(?:Base64|Hex)|RegExp\.escape|Promise\.(?:try|withResolvers)|\w+\.(?:toBase64|toHex|isWellFormed|toWellFormed)\()/,
  "a clock or chance of their own":
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\.getRandomValues\(/,
  "ways around the types": /\bas\s+any\b|:\s*any\b|@ts-/,
};
for (const [name, pattern] of Object.entries(FORBIDDEN)) {
  test(`they hold no ${name}`, () => {
    for (const { path, source } of SOURCES) {
      const found = pattern.exec(codeOf(source));
      assertEquals(found?.[0], undefined, path);
    }
  });
}
