# simulate and bench as static binaries, and nothing else:
#
#   docker build -t ratelab .
#   docker run --rm -v "$PWD:/work" ratelab check limits
#
# The embedded server needs nothing from outside; --redis process and --redis container do, and are not in here.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/bin/ ./cmd/simulate ./cmd/bench \
  && mkdir -p /out/tmp /out/work

FROM scratch
COPY --from=build /out/ /
WORKDIR /work
ENTRYPOINT ["/bin/simulate"]
