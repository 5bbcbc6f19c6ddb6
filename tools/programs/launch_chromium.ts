import process from "node:process";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find_chromium.ts";

/** A headless Chromium, for pages of our own; whoever launches it closes it. */
export async function launchChromium(): Promise<Browser> {
  const { path, env } = await findChromium();
  return await chromium.launch({
    executablePath: path,
    // Root cannot have Chromium's sandbox.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    env: { ...process.env as Record<string, string>, ...env },
  });
}
