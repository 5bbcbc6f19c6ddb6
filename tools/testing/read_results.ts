/** How one test ended. Only leaves count: a suite is not a test of its own. */
export interface TestResult {
  /** The names from the outermost suite to the test, joined by ` > `. */
  name: string;
  /** The file that it stands in, as Deno calls it. */
  file?: string;
  outcome: "passed" | "failed" | "skipped";
  error?: string;
  /** What it told of itself, mostly figures; a parent's are its last test's. Deno's report has none. */
  notes?: string[];
}

/** A test that ended, as `node_reporter.mjs` sends it. */
interface NodeEnd {
  name: string;
  /** 0 is the file itself. */
  nesting: number;
  passed: boolean;
  skipped: boolean;
  /** It failed because one inside of it did. */
  inherited: boolean;
  error?: string;
}

/** What `node_reporter.mjs` sends of a file; a note follows the test whose note it is. */
export type NodeEvent = NodeEnd | { note: string };

/** The results of a file, whose suite is its outermost; a test is reported after those inside of it. */
export function readNodeResults(events: readonly NodeEvent[]): TestResult[] {
  const open: TestResult[][] = [];
  let last: TestResult | undefined;
  for (const event of events) {
    if ("note" in event) {
      if (last !== undefined) last.notes = [...last.notes ?? [], event.note];
      continue;
    }
    const isFile = event.nesting === 0;
    const inner = open[event.nesting + 1] ?? [];
    open.length = Math.min(open.length, event.nesting + 1);
    const here = (open[event.nesting] ??= []);
    for (const result of inner) {
      here.push(isFile ? result : { ...result, name: `${event.name} > ${result.name}` });
    }
    const ownFailure = !event.passed && !event.inherited;
    if (ownFailure || (inner.length === 0 && !isFile)) {
      here.push(resultOf({ ...event, name: isFile ? "(the file itself)" : event.name }));
    }
    last = here.at(-1);
  }
  // More than one where the process ended within the file.
  return open.flat();
}

function resultOf({ name, passed, skipped, error }: NodeEnd): TestResult {
  if (!passed) return { name, outcome: "failed", error: error ?? "no reason given" };
  return { name, outcome: skipped ? "skipped" : "passed" };
}

/** Reads Deno's JUnit report. Steps are of the file whose test they stand in; it does not say so itself. */
export function readDenoResults(xml: string): TestResult[] {
  const cases = [
    ...xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>([^]*?)<\/testcase>/g),
  ].map(([, name, file, body]) => ({ name: name!, file: file!, body: body! }));
  const fileOfTest = new Map(cases.map(({ name, file }) => [name, file]));
  for (const step of cases.filter(({ file }) => file.startsWith("ext:"))) {
    step.file = fileOfTest.get(parentsOf(step.name)[0]!) ?? step.file;
  }
  const parents = new Set(
    cases.flatMap(({ name, file }) => parentsOf(name).map((parent) => `${file} ${parent}`)),
  );
  const found: TestResult[] = [];
  for (const { name, file, body } of cases) {
    const failure = /<failure message="([^"]*)">([^]*?)<\/failure>/.exec(body);
    const isParent = parents.has(`${file} ${name}`);
    const inherited = /^\d+ test steps? failed/.test(failure?.[1] ?? "");
    if (isParent && (failure === null || inherited)) continue;
    found.push({
      name: unescapeXml(name),
      file: unescapeXml(file),
      outcome: failure ? "failed" : body.includes("<skipped") ? "skipped" : "passed",
      ...(failure ? { error: unescapeXml(failure[2] || failure[1]!) } : {}),
    });
  }
  return found;
}

/** The names of the tests that a step stands in, the outermost first. */
function parentsOf(name: string): string[] {
  const parts = name.split(" &gt; ");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(" &gt; "));
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The text that an XML text or attribute stands for. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}
