import { readFileSync } from "node:fs";
import type { Env, Hono } from "hono";

const TYPES = {
  "console.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "passkey.js": "text/javascript; charset=utf-8",
  "shortcuts.js": "text/javascript; charset=utf-8",
} as const;

type AssetName = keyof typeof TYPES;

const ASSETS = Object.entries(TYPES).map(([name, type]) => {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  return { name: name as AssetName, type, text, version: versionOf(text) };
});

/** Returns the path of a static file, which changes with the content, so that browsers may keep the file. */
export function addressOf(name: AssetName): string {
  return `/assets/${ASSETS.find((asset) => asset.name === name)!.version}/${name}`;
}

/** Adds the routes of style sheet, scripts and icon, which need no session. */
export function serveAssets<E extends Env>(app: Hono<E>): void {
  for (const { name, type, text } of ASSETS) {
    app.get(addressOf(name), (context) =>
      context.body(text, 200, {
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
      }));
  }
}

/** Returns the FNV-1a hash, 8 hex digits: enough to tell versions of a file apart. */
function versionOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
