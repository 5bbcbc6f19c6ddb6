import type { Refusal } from "@sabika/protocol";
import type { ReceivedCall } from "../call/received_call.ts";

/** A call that passed a check, or the refusal. */
export type Checked<C> = C | Refusal;

/** One check of a door: takes a call that the checks before it let pass, and adds its findings. */
export type Check<In extends ReceivedCall, Out extends In> = (
  call: In,
) => Checked<Out> | Promise<Checked<Out>>;

/** The checks that a call passes before its route, in their order (Decision D26). */
export interface Door<Out extends ReceivedCall> {
  /** Runs the checks until one refuses. */
  readonly pass: (call: ReceivedCall) => Checked<Out> | Promise<Checked<Out>>;
  /** A door with one more check after those of this door. */
  next<Next extends Out>(check: Check<Out, Next>): Door<Next>;
}

/** A door without checks, to begin with. */
export const OPEN_DOOR: Door<ReceivedCall> = doorOf((call) => call);

function doorOf<Out extends ReceivedCall>(pass: Door<Out>["pass"]): Door<Out> {
  return {
    pass,
    next: (check) =>
      doorOf((call) => {
        const passed = pass(call);
        // Most checks are synchronous, and are not awaited.
        if (passed instanceof Promise) return passed.then((call) => call.ok ? check(call) : call);
        return passed.ok ? check(passed) : passed;
      }),
  };
}
