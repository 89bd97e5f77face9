package algorithms

import (
	"strconv"

	"ratelab/internal/limit"
)

// mostNodes bounds a row's gateways: to look ahead takes a copy of a key's state on each of them.
const mostNodes = 100

// Gateways are the nodes behind a load balancer on which a row counts. Each counts for itself, on keys of its own.
type Gateways struct {
	Nodes  int64  // at least 1
	Random bool   // a request's node is drawn; otherwise the nodes take turns
	Seed   uint64 // of what is drawn
}

// Node is the one that gets the row's request of that number, both from 0. What is drawn depends on nothing else but
// the seed.
func (g *Gateways) Node(number uint64) int64 {
	if g.Random {
		number = scatter(scatter(g.Seed) + number)
	}
	return int64(number % uint64(g.Nodes))
}

// scatter is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit of what goes in changes half of those
// that come out.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// times is what the nodes promise together where each promises most; nil stays nil.
func (g *Gateways) times(most func(spanUS, largestCost int64) int64) func(spanUS, largestCost int64) int64 {
	if most == nil {
		return nil
	}
	return func(spanUS, largestCost int64) int64 { return product(g.Nodes, most(spanUS, largestCost)) }
}

// onNode is the name under which a node counts a client: no two clients' names on any nodes are alike.
func onNode(key string, node int64) string { return key + "@" + strconv.FormatInt(node+1, 10) }

// Turns are the balancer's, from its first request on.
func (g *Gateways) Turns() Turns { return g.TurnsAfter(0) }

// TurnsAfter are the balancer's once it has handed on so many requests.
func (g *Gateways) TurnsAfter(requests uint64) Turns { return Turns{gateways: g, number: requests} }

// Turns hand requests on to gateways, in the order in which they come to the balancer. What never comes there, because
// a client rejects it by itself, is not counted.
type Turns struct {
	gateways *Gateways
	number   uint64 // of the next request
}

// Next is the name under which the node whose turn it is counts the client.
func (t *Turns) Next(key string) string {
	t.number++
	return onNode(key, t.gateways.Node(t.number-1))
}

// balanced is the model of a row on gateways: one model has the keys of all, as one server would.
type balanced struct {
	Turns
	model model
}

// Decide lets the next node decide.
func (b *balanced) Decide(nowUS int64, key string, cost int64) limit.Decision {
	return b.model.Decide(nowUS, b.Next(key), cost)
}

// DecideAt lets the next node decide.
func (b *balanced) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return b.model.DecideAt(serverUS, clientUS, b.Next(key), cost)
}

// Fork is a model that knows key alone, on each of the nodes, and whose turn it is: who comes back after a rejection
// comes to the balancer, and meets the node that is next and not the one that told it when.
func (b *balanced) Fork(key string) limit.Limiter {
	f := &balancedKey{Turns: b.Turns, key: key}
	for node := range b.gateways.Nodes {
		f.nodes = append(f.nodes, b.model.Fork(onNode(key, node)).(model))
	}
	return f
}

// balancedKey is one client's part of balanced.
type balancedKey struct {
	Turns
	key   string
	nodes []model
}

func (b *balancedKey) next() (node model, key string) {
	key = b.Next(b.key)
	return b.nodes[b.gateways.Node(b.number-1)], key
}

// Decide lets the next node decide.
func (b *balancedKey) Decide(nowUS int64, _ string, cost int64) limit.Decision {
	node, key := b.next()
	return node.Decide(nowUS, key, cost)
}

// DecideAt lets the next node decide.
func (b *balancedKey) DecideAt(serverUS, clientUS int64, _ string, cost int64) limit.Decision {
	node, key := b.next()
	return node.DecideAt(serverUS, clientUS, key, cost)
}

// Fork is a copy.
func (b *balancedKey) Fork(string) limit.Limiter {
	f := &balancedKey{Turns: b.Turns, key: b.key}
	for node, n := range b.nodes {
		f.nodes = append(f.nodes, n.Fork(onNode(b.key, int64(node))).(model))
	}
	return f
}
