import process from "node:process";
import { runSidecar } from "./run_sidecar.ts";

const { stdout, stderr } = process;
process.exitCode = await runSidecar(process.argv.slice(2), { nowMs: Date.now(), stdout, stderr });
