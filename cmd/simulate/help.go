package main

const about = `Replay traffic against rate limiters' Lua in virtual time, and show what each admits.

Without arguments every built-in scenario meets every algorithm. The Go models answer at once, in
one matrix; then the Lua, on a Redis inside the process, must give the same answers: nothing to
install. A few scenarios get a table each. Figures go to standard output, charts and their data to
--out. The same input gives the same bytes on every run and the same decisions on every server.`

const examples = `  simulate                                             everything built in
  simulate extreme-case-1 my-scenario.yaml             a built-in scenario, and a file of yours
  simulate poisson -a gcra,gcra:burst=10,fixed-window  some algorithms, one of them twice
  simulate --limit 100/1m --trace access.log.gz        your own log, a limit for each client
  simulate --script my.lua extreme-case-1              your own script beside the built-in ones
  simulate --redis process --format json               a real redis-server, figures as JSON
  simulate clean --redis redis://staging:6379          delete what killed runs left there`

const closing = `simulate COMMAND --help says more about a command, simulate --version which build this is.

Exit codes: 0 ok · 1 an expectation missed, or results that differ · 2 usage or invalid input ·
3 the harness could not run (no server, a call that failed) · 130 interrupted, with what there was
marked partial. (go run turns every code but 0 into 1.)
`
