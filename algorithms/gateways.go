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

// times is what the nodes admit together where each admits most; nil stays nil.
func (g *Gateways) times(most func(spanUS, largestCost int64) int64) func(spanUS, largestCost int64) int64 {
	if most == nil {
		return nil
	}
	return func(spanUS, largestCost int64) int64 { return product(g.Nodes, most(spanUS, largestCost)) }
}

// onNode is the name under which a node counts a client: no two clients' names on any nodes are alike.
func onNode(key string, node int64) string { return key + "@" + strconv.FormatInt(node+1, 10) }

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

// balanced is the model of a row on gateways.
type balanced struct {
	Turns
	nodes []limit.Model // one that has the keys of all, as one server would; of a fork, one for each node
}

// Decide lets the node whose turn it is decide.
func (b *balanced) Decide(serverUS, clientUS int64, client string, cost int64) limit.Decision {
	key := b.Next(client)
	node := b.nodes[b.gateways.Node(b.number-1)%int64(len(b.nodes))]
	return node.Decide(serverUS, clientUS, key, cost)
}

// Fork is a model that knows one client alone, on each of the nodes, and whose turn it is: who comes back after a
// rejection comes to the balancer, and meets the node that is next and not the one that told it when.
func (b *balanced) Fork(client string) limit.Model {
	f := &balanced{Turns: b.Turns}
	for node := range b.gateways.Nodes {
		f.nodes = append(f.nodes, b.nodes[node%int64(len(b.nodes))].Fork(onNode(client, node)))
	}
	return f
}
