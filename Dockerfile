# An image with simulate and bench as static binaries:
#
#   docker build -t ratelab .
#   docker run --rm -v "$PWD:/work" ratelab check limits
#
# The embedded server needs no other program. --redis process and --redis container do, and do not work in this image.
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
