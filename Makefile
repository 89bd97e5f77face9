.DEFAULT_GOAL := help
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -X main.version=$(VERSION)

# The scenarios of make libraries.
LIBRARIES_MEET := extreme-case-1,extreme-case-2,steady-under,steady-over,ten-times-over,mixed-costs,idle-then-burst,client-clocks

.PHONY: help build install simulate check test test-all bench results libraries goldens lint clean \
  beam costs nightly playground rename results-bench

# A target with a help text (##) is listed by make help. CONTRIBUTING.md describes all targets.
help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/simulate and bin/bench
	go build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/simulate ./cmd/bench

install: ## install simulate and bench into Go's bin folder
	go install -ldflags '$(LDFLAGS)' ./cmd/simulate ./cmd/bench

simulate: build ## run all built-in scenarios: tables here, charts in results/latest
	./bin/simulate

check: build ## run all built-in scenarios again and compare exactly with results/
	./bin/simulate check

test: ## run the tests; at the end, list the skipped tests with the reason
	@go test -json ./... | go run ./.ci/tests

test-all: ## run all tests, with the long ones; tests without their server are skipped
	@RATELAB_ALL=1 go test -tags browser -timeout 40m -json ./... | go run ./.ci/tests

bench: build ## measure six limiters on a real server in two minutes, into results/latest-bench
	./bin/bench run

results: build ## write results/ again: figures, charts and pages
	go test ./cmd/simulate -run ResultsPages -update

libraries: ## write results/libraries again; needs redis-server; FROM=DIR adds scripts of checkouts
	cd libraries && go run . -scenario $(LIBRARIES_MEET) -out ../results/libraries/result.json >/dev/null
	cd libraries && go run . -examine -out ../results/libraries/examined.json >/dev/null || [ $$? -eq 1 ]
	@test -z '$(FROM)' || { (cd libraries && go run ./scripts -from '$(FROM)' -out ../bin/scripts) && \
	  { go run ./cmd/simulate examine bin/scripts/*.lua --limit 100/1m --redis process --format json \
	    >results/libraries/scripts.json || [ $$? -eq 1 ]; }; }
	cd libraries && go test . -run ThePage -update

# The order matters: the schemas are built into the programs that the later tests run.
goldens: ## write the expected outputs of tests and of the pages again: read the difference
	go test ./internal/result -run TheSchemaIsThatOfTheTypes -update
	go test ./internal/accesslog -run FormatsAreListed -update
	go test ./internal/scenario -update
	go test ./internal/report ./internal/page ./internal/chart \
	  ./internal/counting -update
	go test ./cmd/simulate ./cmd/bench -run Scripts -update
	go test ./cmd/simulate -run Docs -rewrite

lint: ## check format, go.mod, vet, staticcheck, and the scripts if luac5.1 is installed
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go mod tidy -diff
	go vet ./...
	go tool staticcheck ./...
	@! command -v luac5.1 >/dev/null || luac5.1 -p lua/*.lua

clean: ## delete everything that was built
	rm -rf bin results/latest results/latest-bench

# Builds and tests bin/ratelab-beam, for logs larger than one machine. The first build takes minutes.
beam:
	cd beam && go vet . && go test -vet=off . && go build -ldflags '$(LDFLAGS)' -o ../bin/ratelab-beam .

# Counts the work and bytes of the candidates of simulate recommend. It needs valgrind.
costs: build
	./bin/bench count >costs.csv.new && mv costs.csv.new internal/costs/costs.csv

# Lets each algorithm decide a million requests on each kind of real server, and compares script and model. Runs the
# tests with random input for longer than .ci/run does.
nightly: export RATELAB_ALL = 1
nightly: export RATELAB_NIGHTLY = 1
nightly: export REQUIRE_REDIS = 1
nightly: export REQUIRE_DOCKER = 1
nightly: export RATELAB_TEST_IMAGES ?= redis:8.0-alpine,valkey/valkey:8.1-alpine
nightly:
	RATELAB_DECISIONS=1000000 go test -timeout 60m -count 1 -v -run TestMillion ./internal/run
	go test -timeout 60m -count 1 -v -run 'Sample|Mutants|BuiltInOnes|GeneratedPrograms' ./internal/run \
	  ./internal/examine ./internal/embedded

# Builds the page that runs a visitor's script, into results/latest/playground.
playground:
	go run -ldflags '$(LDFLAGS)' ./cmd/playground

# Gives the module a path that go install can fetch: make rename MODULE=example.org/you/ratelab
rename:
	@.ci/rename '$(MODULE)'

# Measures results/bench again, on Redis 8.0 in a container, in less than ten minutes.
results-bench:
	./results/measure
