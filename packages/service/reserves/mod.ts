/** The reserve of each day: what was promised, what was there for it, and a commitment to each partner's balances. */
export { makeReserves, type ReserveCells } from "./make_reserves.ts";
export { findReserve, findReserveOpening, type KeptReserve, openReserve } from "./read_reserves.ts";
