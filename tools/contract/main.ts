/**
 * `npm run contract [-- JUDGE…]`: other projects' programs check the contract (Decision D72):
 * docs/openapi.json, a sandbox that serves it, and its page.
 */
import process from "node:process";
import { runSubjects } from "../clients/run_subjects.ts";
import { browser } from "./browser.ts";
import { document } from "./document.ts";
import { oapiCodegen, openapiGenerator, redocly } from "./generators.ts";
import { schemathesis } from "./schemathesis.ts";
import { typescriptClient } from "./typescript_client.ts";

const judges = [
  document,
  redocly,
  typescriptClient,
  oapiCodegen,
  openapiGenerator,
  browser,
  schemathesis,
];
process.exit(await runSubjects("contract", judges));
