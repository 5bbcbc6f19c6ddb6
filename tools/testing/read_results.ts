/** How one test ended. Only leaves count: a suite is not a test of its own. */
export interface TestResult {
  /** The names from the outermost suite to the test, joined by ` > `. */
  name: string;
  /** The file that it stands in, as the runtime calls it, where it says so. */
  file?: string;
  outcome: "passed" | "failed" | "skipped";
  error?: string;
  /** What it told of itself, mostly figures; a parent's are its last test's. Deno's report has none. */
  notes?: string[];
}

/** One line of `node_reporter.mjs`. */
interface NodeEvent {
  name: string;
  file?: string;
  nesting: number;
  passed: boolean;
  skipped: boolean;
  inherited: boolean;
  error?: string;
}

/** Another, after that of the test whose note it is. */
interface NodeNote {
  note: string;
}

/**
 * Reads what `node_reporter.mjs` wrote. A test is reported after those inside of it.
 *
 * @param together the files that `run_together.mjs` ran, each of which is a suite there
 */
export function readNodeResults(text: string, together: readonly string[] = []): TestResult[] {
  const open: TestResult[][] = [];
  let last: TestResult | undefined;
  for (const line of text.split("\n").filter((line) => line.startsWith("{"))) {
    const event = JSON.parse(line) as NodeEvent | NodeNote;
    if ("note" in event) {
      if (last !== undefined) last.notes = [...last.notes ?? [], event.note];
      continue;
    }
    const inner = open[event.nesting + 1] ?? [];
    open.length = Math.min(open.length, event.nesting + 1);
    const here = (open[event.nesting] ??= []);
    if (together.length > 0 && event.nesting === 0 && event.name === "#end") continue;
    const file = event.nesting === 0 ? together[Number(event.name.replace(/^#/, ""))] : undefined;
    if (file !== undefined) {
      here.push(...resultsOfFile(event, inner, file));
      last = undefined;
      continue;
    }
    for (const result of inner) {
      here.push({ ...result, ...fileOf(event), name: `${event.name} > ${result.name}` });
    }
    const ownFailure = !event.passed && !event.inherited;
    if (inner.length === 0 || ownFailure) here.push(resultOf(event));
    last = here.at(-1);
  }
  return open[0] ?? [];
}

/** The results of a file that ran as a suite: its tests are called as if it had run by itself. */
function resultsOfFile(event: NodeEvent, inner: TestResult[], file: string): TestResult[] {
  const results = inner.map((result) => ({ ...result, file }));
  const ownFailure = !event.passed && !event.inherited;
  if (ownFailure) results.push({ ...resultOf(event), name: "(the file itself)", file });
  return results;
}

function resultOf(event: NodeEvent): TestResult {
  const { name, passed, skipped, error } = event;
  const known = { name, ...fileOf(event) };
  if (!passed) return { ...known, outcome: "failed", error: error ?? "no reason given" };
  return { ...known, outcome: skipped ? "skipped" : "passed" };
}

function fileOf({ file }: { file?: string | undefined }): { file?: string } {
  return file === undefined ? {} : { file };
}

/** Reads Deno's JUnit report. Steps are of the file whose test they stand in; it does not say so itself. */
export function readDenoResults(xml: string): TestResult[] {
  const cases = [
    ...xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>([^]*?)<\/testcase>/g),
  ].map(([, name, file, body]) => ({ name: name!, file: file!, body: body! }));
  const fileOfTest = new Map(cases.map(({ name, file }) => [name, file]));
  for (const one of cases) {
    if (one.file.startsWith("ext:")) one.file = fileOfTest.get(parentsOf(one.name)[0]!) ?? one.file;
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
export function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}
