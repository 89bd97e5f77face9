.DEFAULT_GOAL := help
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -X main.version=$(VERSION)

PLATFORMS := linux/arm64 darwin/arm64 windows/amd64

LIBRARIES_MEET := extreme-case-1,extreme-case-2,steady-under,steady-over,ten-times-over,mixed-costs,idle-then-burst,client-clocks

.PHONY: help build install simulate check test test-all test-servers nightly race bench bench-go costs results results-bench libraries beam playground goldens docs lint vuln \
  cross rename clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/simulate and bin/bench
	go build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/simulate ./cmd/bench

install: ## install simulate and bench into Go's bin folder
	go install -ldflags '$(LDFLAGS)' ./cmd/simulate ./cmd/bench

simulate: build ## run everything built in: the table here, charts in results/latest
	./bin/simulate

check: build ## decide everything again and compare with results/, exactly
	./bin/simulate check

test: ## run the tests, and say at the end which were skipped, and why
	@go test -json ./... | go run ./.ci/tests

test-all: ## run all tests, the long ones as well; those that lack a server say so and skip
	@RATELAB_ALL=1 go test -tags browser -timeout 40m -json ./... | go run ./.ci/tests

test-servers: ## run the tests and fail where a redis-server or Docker is missing
	RATELAB_TEST_IMAGES=$${RATELAB_TEST_IMAGES:-redis:8.0-alpine,valkey/valkey:8.1-alpine} \
	  RATELAB_ALL=1 REQUIRE_REDIS=1 REQUIRE_DOCKER=1 go test -timeout 40m ./...

nightly: ## let each algorithm decide a million requests on each kind of real server, script against model
	RATELAB_TEST_IMAGES=$${RATELAB_TEST_IMAGES:-redis:8.0-alpine,valkey/valkey:8.1-alpine} RATELAB_DECISIONS=1000000 \
	  RATELAB_ALL=1 REQUIRE_REDIS=1 REQUIRE_DOCKER=1 go test -timeout 60m -count 1 -v -run TestMillion ./internal/run

race: ## run the tests under the race detector
	go test -race -short ./...

bench: build ## measure the usual limiters on a real server, in two minutes, all in results/latest-bench
	./bin/bench run

bench-go: ## print decisions per second of the models and of virtual time, and what else has a Go benchmark
	go test -run '^$$' -bench . -benchtime 1s ./algorithms/... ./internal/... ./lua

costs: build ## count the work and bytes of what simulate recommend may answer with, for its table; needs valgrind
	./bin/bench count >costs.csv.new && mv costs.csv.new internal/costs/costs.csv

results: build ## write results/ anew: figures, charts and pages
	go test ./cmd/simulate -run ResultsPages -update

results-bench: build ## measure results/bench anew, on Redis 8.0 in a container: less than ten minutes
	./results/measure

libraries: ## write results/libraries anew, with FROM=DIR the scripts of checkouts as well; it needs redis-server
	cd libraries && go run . -scenario $(LIBRARIES_MEET) -out ../results/libraries/result.json >/dev/null
	cd libraries && go run . -examine -out ../results/libraries/examined.json >/dev/null || [ $$? -eq 1 ]
	@test -z '$(FROM)' || { (cd libraries && go run ./scripts -from '$(FROM)' -out ../bin/scripts) && \
	  { go run ./cmd/simulate examine bin/scripts/*.lua --limit 100/1m --redis process --format json \
	    >results/libraries/scripts.json || [ $$? -eq 1 ]; }; }
	cd libraries && go test . -run ThePage -update

beam: ## build bin/ratelab-beam, for logs larger than one machine, and test it: its first build takes minutes
	cd beam && go vet . && go test . && go build -ldflags '$(LDFLAGS)' -o ../bin/ratelab-beam .

playground: ## build the page that runs a visitor's script, into results/latest/playground
	go run -ldflags '$(LDFLAGS)' ./cmd/playground

goldens: ## write what tests compare with anew, in the order in which one needs the other: read the difference
	go test ./internal/result -run TheSchemaIsThatOfTheTypes -update # it is built into what the other tests run
	go test ./internal/accesslog -run FormatsAreListed -update # in the schema of scenarios, which is built in, too
	go test ./internal/scenario -update
	go test ./internal/report ./internal/page ./internal/chart \
	  ./internal/counting -update
	go test ./cmd/simulate ./cmd/bench -run Scripts -update

docs: ## write the outputs in README.md and docs/ anew: read the difference before committing it
	go test ./cmd/simulate -run Docs -rewrite

lint: ## format, go.mod, vet, staticcheck, and the scripts with luac where it is installed
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go mod tidy -diff
	go vet ./...
	go tool staticcheck ./...
	@! command -v luac5.1 >/dev/null || luac5.1 -p lua/*.lua

vuln: ## look for known vulnerabilities in what the programs call; needs the database at vuln.go.dev
	go tool govulncheck ./...

cross: ## compile for Linux, macOS and Windows
	@for platform in $(PLATFORMS); do \
	  echo "GOOS=$${platform%/*} GOARCH=$${platform#*/} go build ./cmd/..."; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -o /dev/null ./cmd/... || exit 1; \
	done
	GOFLAGS= GOOS=js GOARCH=wasm go build -o /dev/null ./cmd/playground

rename: ## give the module a path that go install can fetch: make rename MODULE=example.org/you/ratelab
	@.ci/rename '$(MODULE)'

clean: ## remove what was built
	rm -rf bin results/latest results/latest-bench
