import type { CellBalanceRound } from "@sabika/office/oversight";
import type { Call } from "../call.ts";
import { State } from "../layout/inline.tsx";
import { Facts } from "../layout/table.tsx";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";

/** The latest result, in each cell, of the servers' continuous comparison of balances. */
export function Balances({ call, rounds }: { call: Call; rounds: readonly CellBalanceRound[] }) {
  return (
    <>
      {rounds.map((cell) => (
        <>
          {rounds.length > 1 && <h3>{fill(call.words.books.cell, { name: cell.cellId })}</h3>}
          <CellBalances call={call} round={cell.round} />
        </>
      ))}
    </>
  );
}

function CellBalances({ call: { words, language }, round }: {
  call: Call;
  round: CellBalanceRound["round"];
}) {
  const { books } = words;
  if (round === undefined) return <p class="wrong">{books.away}</p>;
  const { ageSeconds, wrongBalances } = round;
  if (ageSeconds === undefined) return <p class="empty">{books.neverCompared}</p>;
  return (
    <Facts
      facts={[
        [books.compared, fill(words.ago, { time: duration(language, ageSeconds) })],
        [
          books.result,
          wrongBalances === 0
            ? <State word={books.agree} mood="good" />
            : <State word={`${books.wrongBalances}: ${wrongBalances}`} mood="bad" />,
        ],
      ]}
    />
  );
}
