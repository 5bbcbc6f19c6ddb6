import { type TestResult, unescapeXml } from "../testing/read_results.ts";

/** Reads a report in JUnit's form, as pytest and Maven's surefire write it. */
export function readJunit(xml: string): TestResult[] {
  const cases = xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g);
  return [...cases].map(([, attributes = "", body = ""]) => {
    const known = {
      name: [attribute(attributes, "classname"), attribute(attributes, "name")]
        .filter((part) => part !== "").join(" > "),
    };
    const failure = /<(?:failure|error)\b([^>]*?)(?:\/>|>([^]*?)<\/(?:failure|error)>)/.exec(body);
    if (failure !== null) {
      const [, own = "", text = ""] = failure;
      const error = unescapeXml(text.replace(/<!\[CDATA\[|\]\]>/g, "").trim());
      return { ...known, outcome: "failed", error: error || attribute(own, "message") };
    }
    return { ...known, outcome: /<skipped\b/.test(body) ? "skipped" : "passed" };
  });
}

function attribute(attributes: string, name: string): string {
  return unescapeXml(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}
