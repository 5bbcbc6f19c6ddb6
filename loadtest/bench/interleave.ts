/**
 * Measures several things in rounds, A B C B C A …, so that a machine that gets slower or faster
 * affects all of them. The order rotates, so that none always follows the same neighbour.
 *
 * @param measure returns the figure of one name in one round
 * @returns the figures of each name, in the order of the rounds
 */
export async function interleave<Name extends string>(
  rounds: number,
  measures: Record<Name, () => Promise<number>>,
  report: (round: number, name: Name, figure: number) => void = () => undefined,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measures) as Name[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      const figure = await measures[name]();
      figures[name].push(figure);
      report(round, name, figure);
    }
  }
  return figures;
}
