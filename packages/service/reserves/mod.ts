/** The reserve of each day: what was promised, what was there for it, and a commitment to each partner's balances. */
export { type Attested, attestReserve, checkAttestation } from "./attest_reserve.ts";
export { makeReserves } from "./make_reserves.ts";
export {
  createReserveReader,
  findReserve,
  type ListedReserve,
  listReserves,
  openReserve,
  readBanks,
  type ReserveReader,
} from "./read_reserves.ts";
export { recountReserves } from "./recount_reserves.ts";
export { setReserveBank } from "./set_bank.ts";
export { createReserveKeeper } from "./reserve_keeper.ts";
export { signReserves } from "./sign_reserves.ts";
