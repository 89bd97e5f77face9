package main

const about = `Measure what rate limiters' Lua costs on a real Redis: latency of what is accepted and of what is
rejected, server time per decision, memory per key, throughput against concurrency. Judge whether a
change made any of it worse.

bench run plays scenarios on the wall clock, every algorithm in turn and the control none in every
round, and takes a quarter of an hour (bench run --quick two minutes). The figures are good only as
far as the generator kept up, so it watches itself: a run in which it did not is kept, marked
invalid, and ends with exit code 4. bench compare measures two versions in one run, in turn, and
gives a verdict that a CI job can rely on, as soon as it is clear: in a minute or two.`

const examples = `  bench run --quick                                    everything once, small: two minutes
  bench run ten-times-over -a gcra,token-bucket        one scenario, two algorithms beside none
  bench run --redis container=valkey/valkey:8.1        another server
  bench run my-scenario.yaml --script my.lua           your own traffic, your own script
  bench cost -a gcra,fixed-window                      instructions of each decision, counted
  bench compare --base old/gcra.lua --head lua/gcra.lua
                                                       is the changed script slower, or different?
  bench compare --base old/gcra.lua --head lua/gcra.lua --instructions-only
                                                       the same by counting alone: for CI
  bench compare --base redis:7.0 --head redis:8.0      the same scripts on two servers
  bench merge parts/bench-shard-*-of-4.json            what four processes measured together
  bench plot results/latest-bench                      draw the charts again, without measuring
  bench show results/latest-bench --format csv         print the figures again, in another form`

const closing = `bench COMMAND --help says more about a command, bench --version which build this is.

Exit codes: 0 ok · 1 a regression · 2 usage or invalid input · 3 the harness could not run (no
server, a call that failed) · 4 inconclusive: the generator did not keep up, the server stood still,
the machine was too noisy, or too little was measured for a verdict · 130 interrupted, with what
there was marked partial. (go run turns every code but 0 into 1.)
`

const aboutRun = `Play scenarios on the wall clock against every algorithm on a real server, and measure.

A round plays each scenario's own traffic to each algorithm, open loop (requests are sent when they
are due, whether or not earlier ones were answered), at the instants of the windows at which
simulate decides it: the ten seconds in which most is asked for, or --from, --for or --whole. What
comes before is decided in virtual time, at the instants at which it would have happened. So a row
says how many of its decisions differ from virtual time. Then the round loads each algorithm with
accepted, rejected and mixed requests, closed loop. The order changes from round to round, and the
control none, a script that admits everything, is in each of them. Then come the sweep over
connections and the memory of a key.

Without a name the scenarios are extreme-case-1 and ten-times-over. The table goes to standard
output; --out gets bench.json, from which all the rest can be made again, latency distributions
(hgrm), samples for benchstat, and the charts with their data.

Where one process cannot send enough, several play the scenarios' own traffic together, on one
server and on the same keys: --shard 1/4 to 4/4, each the same command otherwise. Each writes its
file to --out, and bench merge makes one result of them.`

const aboutCompare = `Measure two sides in turn, in one run on one machine, and give a verdict that a CI job can rely on:
0 no worse, 1 a regression, 4 it cannot be told.

A side is one of
  a script      old/gcra.lua, with its binding beside it; without one it is called as the built-in
                algorithm is whose name the file has, or --as says
  an algorithm  a label such as gcra or gcra:burst=100
  a server      container=IMAGE, an image's name such as redis:8.0, process, process=PATH or a URL;
                then the built-in algorithms run on two servers at once
Scenarios named behind them are those whose decisions must be the same (default: built-in ones).

A regression is a decision that differs, more work, more than 1 % more instructions on a path (4 %
on a container's server), or a server time or median client time that is shown to be more than 5 %
slower. Instructions are those of two scripts, counted as bench cost does, where there is valgrind:
in a minute or two, on a busy machine as well. A time that cannot be judged is a note then, and not
code 4. A counted regression ends the comparison before any time is measured. Times are looked at
after 16, 24, 40, 64 … pairs, each on servers just started; what is clear ends the measurement, and
what is not says how many more pairs it would take.`
