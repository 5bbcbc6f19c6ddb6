import { LANGUAGES, OPENING, SAMPLES } from "@sabika/reference";

/** A program around the reference's samples: what stands before and after them, and how a call ends. */
interface Frame {
  readonly before: string;
  readonly after: string;
  readonly indent: string;
  readonly end: (call: string) => string;
}

const withSemicolon = (call: string) => `${call};`;

const FRAMES: Readonly<Record<(typeof LANGUAGES)[number], Frame>> = {
  TypeScript: {
    before: `${OPENING[0]}
declare const quote: { id: string }, trade: string, payout: string, csr: string;
export async function samples(): Promise<void> {`,
    after: "}",
    indent: "  ",
    end: withSemicolon,
  },
  Python: {
    before: `from sabika_client import Quote
${OPENING[1]}
def samples(quote: Quote, trade: str, payout: str, csr: str) -> None:`,
    after: "",
    indent: "    ",
    end: (call) => call.endsWith(":") ? `${call} ...` : call,
  },
  Go: {
    before: `package main
import ("context"; sabika "sabika.example/go")
func main() {}
func samples(ctx context.Context, quote sabika.Quote, trade, payout, csr string) {
${OPENING[2]}
_ = err`,
    after: "}",
    indent: "",
    end: (call) => call,
  },
  Java: {
    before: `import java.math.BigDecimal;
import java.nio.file.Path;
import sabika.client.*;
final class Samples {
  void samples(Quote quote, String trade, String payout, String csr) throws Exception {
    ${OPENING[3]}`,
    after: "  }\n}",
    indent: "    ",
    end: withSemicolon,
  },
};

/** Makes a program of the reference's samples in a language, which is compiled and not run. */
export function samplesProgram(language: (typeof LANGUAGES)[number]): string {
  const { before, after, indent, end } = FRAMES[language];
  const at = LANGUAGES.indexOf(language);
  const calls = Object.values(SAMPLES).map((sample) => indent + end(sample[at]!));
  return [before, ...calls, after, ""].join("\n");
}
