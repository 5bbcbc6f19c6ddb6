/** The help of `npm test` and `npm run faults`; plain JavaScript, as it is shown before any set-up. */

const OPTIONS =
  `  PATH…                    test files, or folders to search for them (all by default)
  --runtime node|deno      run on one runtime only
  --database pglite|postgresql
                           run the tests that use a database on one of them only
  --all                    run every test on each runtime and database that it can run on
  --name TEXT              run only the tests whose names contain TEXT; on Deno names
                           inside of a suite do not count, only the suite's own
  --times                  print how long each file took, not only the slowest
  --watch                  run again whenever a source file changes, until Ctrl-C
  --help                   show this and exit

The last line is "N passed, M failed, K skipped". Exit code 0: nothing failed, 1: something did,
2: a wrong option or path, 130: interrupted. A test file that takes longer than five minutes, of the
faults eight, is ended and has failed; the others go on.
`;

export const TEST_HELP =
  `Runs the tests on Node with PostgreSQL, and those that tools/testing/matrix.ts lists on Deno and
with the embedded database (PGlite) too. With --runtime, --database or --all they run wherever they can
and the option allows.

  npm test -- [PATH…] [options]
  (the same after \`deno task test\`)

${OPTIONS}
Environment:
  CI=true                  a missing program (PostgreSQL, Envoy) is a failure
  SABIKA_TEST_JOBS=N       how many test processes run at the same time
  TEST_DATABASE_URL=URL    the PostgreSQL to use, instead of one started for the run

Examples:
  npm test -- packages/jws
  npm test -- packages/server/app_test.ts --runtime node --database pglite --watch
`;

export const FAULTS_HELP =
  `Runs the fault tests (*_fault_test.ts), one at a time: they kill servers and databases, cut
connections under load, build k6 and helm, and take minutes.

  npm run faults -- [PATH…] [--long] [options]
  npm run faults -- --operations N --faults M [--seed S] [--cells C] [--slices K] [--minutes T]
                    [--built FOLDER] [--spare] [--report [FILE]] [--end-at-violation]
  (the same after \`deno task faults\`)

${OPTIONS}

With --long tests have the sizes that docs/faults.md asks for, of those that have another one in the
gate: hours in all.

With --operations it makes a run against the stack instead: a load of all kinds of calls through Envoy
while faults strike, the history and the books judged at the end. A violation is printed with the
shortest history that shows it.
  --operations N           how many calls at least: they go on until the last fault is over
  --faults M               how many faults, evenly over the calls (0)
  --seed S                 repeats the calls' and the faults' choices; a new one by default, printed
  --cells C                the stack has C cells beside control, over which the partners are spread;
                           faults strike one of them too, and partners move (0)
  --slices K               in K parts, each with a stack of its own and the next seed (1)
  --minutes T              no call and no fault begins later
  --built FOLDER           the servers are those that "npm run build" put there, which start sooner
  --spare                  the first server is never killed or restarted: its memory is in the report
  --report [FILE]          adds each slice to a file, with its faults and what its servers had in memory;
                           without FILE a row each to the table in docs/faults.md
  --end-at-violation       a slice with a violation is the last
Ctrl-C ends every process, judges what there is so far and reports it.
Exit code 0: no violation, 1: one or more, 2: a wrong option, 130: interrupted.
`;
