import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A run of a script for one partner. */
export interface K6Run {
  k6: string;
  script: string;
  kit: string;
  baseUrl?: string | undefined;
  rate?: string | undefined;
  duration?: string | undefined;
  /** The file for the summary's JSON. */
  summary: string;
  /** The file for k6's page of charts; by default there is none. */
  page?: string | undefined;
  /** Whether k6's output is shown instead of kept. */
  show: boolean;
}

/** The end of a run: k6 exits with 0 if every threshold held, with 99 if one failed. */
export interface K6End {
  exitCode: number | null;
  /** k6's output, if it was kept; otherwise empty. */
  output: string;
}

/**
 * Runs k6 to its end. The first signal that would end this process is forwarded to k6, which then stops
 * gracefully and still writes its summary.
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
    // In its own session, because k6 would count a Ctrl-C from the terminal and the forwarded one as two and
    // end without its summary.
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
