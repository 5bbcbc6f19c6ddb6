/**
 * `npm run clients [-- LANGUAGE…]`: the packed SDK, and the clients in other languages, held to
 * docs/vectors and run against a sandbox.
 */
import process from "node:process";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { python } from "./python.ts";
import { runSubjects } from "./run_subjects.ts";
import { typescript } from "./typescript.ts";

process.exit(await runSubjects("clients", [typescript, python, go, java]));
