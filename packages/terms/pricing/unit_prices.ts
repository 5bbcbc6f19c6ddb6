/** Parts per million in one. */
const PPM = 1_000_000n;

/** What the partner pays for a gram, rounded up to the ten-thousandth (Decision D4). */
export function buyPrice(midTenThousandths: bigint, spreadPpm: bigint): bigint {
  return (midTenThousandths * (PPM + spreadPpm) + PPM - 1n) / PPM;
}

/** What the partner gets for a gram, rounded down to the ten-thousandth (Decision D4). */
export function sellPrice(midTenThousandths: bigint, spreadPpm: bigint): bigint {
  return (midTenThousandths * (PPM - spreadPpm)) / PPM;
}
