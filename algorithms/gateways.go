package algorithms

import (
	"strconv"

	"ratelab/internal/limit"
)

// mostNodes is the most gateways of a row. Looking ahead copies a key's state on each of them.
const mostNodes = 100

// Gateways are the nodes behind a load balancer for one row. Each node counts separately, on keys of its own.
type Gateways struct {
	Nodes  int64  // at least 1
	Random bool   // a request's node is random; otherwise the nodes take turns
	Seed   uint64 // of the random choice
}

// Node returns the node of the row's request with that number. Both count from 0. The random choice depends only on the
// seed and the number.
func (g *Gateways) Node(number uint64) int64 {
	if g.Random {
		number = scatter(scatter(g.Seed) + number)
	}
	return int64(number % uint64(g.Nodes))
}

// scatter hashes x with the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). Each bit of the input changes about
// half of the output bits.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// times returns what all nodes admit together if each admits most; nil stays nil.
func (g *Gateways) times(most func(spanUS, largestCost int64) int64) func(spanUS, largestCost int64) int64 {
	if most == nil {
		return nil
	}
	return func(spanUS, largestCost int64) int64 { return product(g.Nodes, most(spanUS, largestCost)) }
}

// onNode returns the key under which a node counts a client. The keys of different clients and nodes differ.
func onNode(key string, node int64) string { return key + "@" + strconv.FormatInt(node+1, 10) }

// TurnsAfter returns the balancer's state after that many requests.
func (g *Gateways) TurnsAfter(requests uint64) Turns { return Turns{gateways: g, number: requests} }

// Turns assigns requests to gateways in the order in which they reach the balancer. Requests that a client rejects
// itself do not reach the balancer and do not count.
type Turns struct {
	gateways *Gateways
	number   uint64 // of the next request
}

// Next returns the key under which the next node counts the client.
func (t *Turns) Next(key string) string {
	t.number++
	return onNode(key, t.gateways.Node(t.number-1))
}

// balanced is the model of a row on gateways.
type balanced struct {
	Turns
	nodes []limit.Model // one model with the keys of all nodes, as on one server; in a fork, one model for each node
}

// Decide passes the request to the next node.
func (b *balanced) Decide(serverUS, clientUS int64, client string, cost int64) limit.Decision {
	key := b.Next(client)
	node := b.nodes[b.gateways.Node(b.number-1)%int64(len(b.nodes))]
	return node.Decide(serverUS, clientUS, key, cost)
}

// Fork returns a model that knows only one client, on each of the nodes, and the balancer's state. After a rejection
// the client's next request goes to the next node, not to the node that returned the retry-after.
func (b *balanced) Fork(client string) limit.Model {
	f := &balanced{Turns: b.Turns}
	for node := range b.gateways.Nodes {
		f.nodes = append(f.nodes, b.nodes[node%int64(len(b.nodes))].Fork(onNode(client, node)))
	}
	return f
}
