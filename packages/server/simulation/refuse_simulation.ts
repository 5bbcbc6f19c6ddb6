import { HEADER, refuse } from "@sabika/protocol";
import { isKnownCaller, type Simulation } from "./create_simulation.ts";

/** In production a request that asks for a failure is refused: nothing is simulated or carried out. */
export const refuseSimulation: Simulation["around"] = (route) => (call, id) =>
  call.header(HEADER.simulate) !== undefined && isKnownCaller(call)
    ? refuse("simulation_invalid", "Only the sandbox simulates failures.")
    : route(call, id);
