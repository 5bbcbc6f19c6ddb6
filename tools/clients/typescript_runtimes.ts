import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { fetchNode, installNpmPackages } from "../programs/fetch_packages.ts";
import { launchChromium } from "../programs/launch_chromium.ts";
import { type Check, checkExample } from "./subject.ts";

/** The part of tsx's esbuild that is used. */
interface Bundler {
  build(options: Record<string, unknown>): Promise<{ outputFiles: { text: string }[] }>;
}
const requireFromTsx = createRequire(createRequire(import.meta.url).resolve("tsx"));
const { build } = requireFromTsx("esbuild") as Bundler;

/** Makes the check of the example on a version of Node. */
export async function onNode(version: string, cwd: string): Promise<Check> {
  const node = await fetchNode(version).catch((error: Error) => error);
  const program = join("compiled", "trading_day.js");
  const found = node instanceof Error ? "" : node;
  const example = checkExample(
    (kit, url) => ({ command: found, args: [program, kit, url], cwd }),
    `Node ${version}`,
  );
  return node instanceof Error ? { ...example, missing: node.message } : example;
}

const BUN = "1.4.4";

/** Makes the check of the example on Bun. */
export async function onBun(cwd: string): Promise<Check> {
  const name = `@oven/bun-${process.platform}-${
    process.arch === "arm64" ? "aarch64" : process.arch
  }`;
  const folder = await fetchOnce(
    join(cacheFolder("clients"), `bun-${BUN}`),
    (part) => installNpmPackages(part, [`${name}@${BUN}`]),
  ).catch((error: Error) => error);
  const command = folder instanceof Error ? "" : join(folder, "node_modules", name, "bin", "bun");
  const program = join("compiled", "trading_day.js");
  const example = checkExample((kit, url) => ({ command, args: [program, kit, url], cwd }), "Bun");
  return folder instanceof Error ? { ...example, missing: folder.message } : example;
}

/** What a bank's page does: reads an amount, and verifies a webhook with Web Crypto. */
const BROWSER_PROGRAM = `import { formatGrams, grams, verifyWebhook } from "@sabika/client";
const { reason } = await verifyWebhook({
  secrets: ["whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0"],
  headers: new Headers({ "webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,eA==" }),
  body: "{}",
  nowSeconds: 1,
});
document.title = formatGrams(grams("1.5")) + " " + reason;
`;

/** Bundles a program for browsers, and runs it in Chromium. */
export function browserCheck(project: string): Check {
  return {
    name: "a browser runs what needs no certificate",
    async run() {
      const file = join(project, "browser.mjs");
      await writeFile(file, BROWSER_PROGRAM);
      const { outputFiles } = await build({
        entryPoints: [file],
        bundle: true,
        format: "esm",
        platform: "browser",
        write: false,
      });
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        const html = `<script type="module">${outputFiles[0]!.text}</script>`;
        // Web Crypto needs a secure origin.
        await page.route("**", (route) => route.fulfill({ contentType: "text/html", body: html }));
        await page.goto("https://sabika.test/");
        await page.waitForFunction("document.title !== ''");
        const output = await page.title();
        return { ok: output === "1.5 signature_mismatch", output };
      } finally {
        await browser.close();
      }
    },
  };
}
