/** How one test ended. Only leaves count: a suite is not a test of its own. */
export interface TestResult {
  /** The names from the outermost suite to the test, joined by ` > `. */
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** What a failed test said. */
  error?: string;
}

/** One line of `node_reporter.mjs`. */
interface NodeEvent {
  name: string;
  nesting: number;
  passed: boolean;
  skipped: boolean;
  inherited: boolean;
  error?: string;
}

/** Reads what `node_reporter.mjs` wrote. A test is reported after those inside of it. */
export function readNodeResults(text: string): TestResult[] {
  const open: TestResult[][] = [];
  for (const line of text.split("\n").filter((line) => line.startsWith("{"))) {
    const event = JSON.parse(line) as NodeEvent;
    const inner = open[event.nesting + 1] ?? [];
    open.length = Math.min(open.length, event.nesting + 1);
    const here = (open[event.nesting] ??= []);
    for (const result of inner) here.push({ ...result, name: `${event.name} > ${result.name}` });
    const ownFailure = !event.passed && !event.inherited;
    if (inner.length === 0 || ownFailure) here.push(resultOf(event));
  }
  return open[0] ?? [];
}

function resultOf({ name, passed, skipped, error }: NodeEvent): TestResult {
  if (!passed) return { name, outcome: "failed", error: error ?? "no reason given" };
  return { name, outcome: skipped ? "skipped" : "passed" };
}

/** Reads Deno's JUnit report. */
export function readDenoResults(xml: string): TestResult[] {
  const cases = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>([^]*?)<\/testcase>/g)];
  const names = cases.map(([, name]) => name!);
  const found: TestResult[] = [];
  for (const [, name = "", body = ""] of cases) {
    const failure = /<failure message="([^"]*)">([^]*?)<\/failure>/.exec(body);
    const isParent = names.some((other) => other.startsWith(`${name} &gt; `));
    const inherited = /^\d+ test steps? failed/.test(failure?.[1] ?? "");
    if (isParent && (failure === null || inherited)) continue;
    found.push({
      name: unescape(name),
      outcome: failure ? "failed" : body.includes("<skipped") ? "skipped" : "passed",
      ...(failure ? { error: unescape(failure[2] || failure[1]!) } : {}),
    });
  }
  return found;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}
