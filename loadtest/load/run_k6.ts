import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** One run of one script for one partner. */
export interface K6Run {
  k6: string;
  script: string;
  kit: string;
  baseUrl?: string | undefined;
  rate?: string | undefined;
  duration?: string | undefined;
  /** Where the summary's JSON goes. */
  summary: string;
  /** Where k6's own page of charts goes; nowhere without it. */
  page?: string | undefined;
  /** Its output goes to ours instead of being kept. */
  show: boolean;
}

/** How it ended: k6 exits 0 when every threshold holds, 99 when one does not. */
export interface K6End {
  exitCode: number | null;
  /** What it printed, where it was kept. */
  output: string;
}

/**
 * Runs k6 to its end. The first signal that would end this process is passed on to k6 instead, which
 * then stops gracefully and still sums up.
 */
export async function runK6(run: K6Run): Promise<K6End> {
  const environment: Record<string, string | undefined> = {
    ...process.env,
    SSL_CERT_FILE: join(run.kit, "ca.crt"),
    SABIKA_KIT: run.kit,
    SABIKA_BASE_URL: run.baseUrl,
    SABIKA_RATE: run.rate,
    SABIKA_DURATION: run.duration,
    SABIKA_SUMMARY: run.summary,
    K6_NO_USAGE_REPORT: "true",
  };
  if (run.page !== undefined) {
    environment.K6_WEB_DASHBOARD = "true";
    environment.K6_WEB_DASHBOARD_PORT = "-1";
    environment.K6_WEB_DASHBOARD_PERIOD = "1s";
    environment.K6_WEB_DASHBOARD_EXPORT = run.page;
  }
  const args = ["run", "--address", "", ...(run.show ? [] : ["--quiet"]), run.script];
  const child = spawn(run.k6, args, {
    env: environment,
    stdio: ["ignore", run.show ? "inherit" : "pipe", run.show ? "inherit" : "pipe"],
    // A session of its own: k6 would take the same Ctrl-C from the terminal and from us for two, and
    // end at the second without summing up.
    detached: true,
  });
  let isPassed = false;
  const pass = () => {
    if (!isPassed) child.kill("SIGINT");
    isPassed = true;
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const [exitCode] = await once(child, "close") as [number | null];
  for (const signal of SIGNALS) process.off(signal, pass);
  return { exitCode, output };
}
