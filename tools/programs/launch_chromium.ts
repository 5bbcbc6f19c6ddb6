import process from "node:process";
import { type Browser, chromium } from "playwright-core";
import { findProgram } from "./find_program.ts";

/** Launches a headless Chromium for the repository's pages; the caller closes it. */
export async function launchChromium(): Promise<Browser> {
  const { command, env } = await findProgram("chromium");
  return await chromium.launch({
    executablePath: command,
    // Chromium's sandbox does not work for root.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    env: { ...process.env as Record<string, string>, ...env },
  });
}
