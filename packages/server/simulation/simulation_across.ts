import { type Cells, mapCells } from "@sabika/service/cells";
import type { CallSoFar } from "../call/findings.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { Route } from "../routes/route.ts";
import type { Simulation } from "./create_simulation.ts";

/** Combines the simulations of all cells: each call gets that of its partner's cell. */
export function simulationAcross(cells: Cells<Simulation>): Simulation {
  function across<C extends ReceivedCall>(make: (cell: Simulation) => Route<C>): Route<C> {
    const routes = mapCells(cells, make);
    return (call, id) => {
      const { partner }: CallSoFar = call;
      return (partner === undefined ? routes.control : routes.of(partner.partnerId))(call, id);
    };
  }
  const begins = mapCells(cells, (cell) => cell.beginScenario);
  return {
    around: (route) => across((cell) => cell.around(route)),
    trading: (make) => across((cell) => cell.trading(make)),
    beginScenario: (call, request) => begins.of(call.partner.partnerId)(call, request),
  };
}
