/**
 * `npm run clients [-- LANGUAGE…]`: tests the packed SDK and the clients in other languages with
 * docs/vectors and against a sandbox.
 */
import process from "node:process";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { python } from "./python.ts";
import { runSubjects } from "./run_subjects.ts";
import { typescript } from "./typescript.ts";

process.exit(await runSubjects("clients", [typescript, python, go, java]));
