// Package generate makes clusters for a scheduler to work on: small, crowded, valid, and full of every constraint there is.
package generate

import (
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"loadline/conformance/recording"
)

// A flavour is what a cluster has much of.
const (
	resources    = "resources"    // requests of all kinds, init containers, overhead, pod-level resources
	corners      = "corners"      // zero, tiny, huge and odd quantities
	nodeAffinity = "nodeAffinity" // selectors and affinity to nodes
	taints       = "taints"       // taints and tolerations
	podAffinity  = "podAffinity"  // affinity and anti-affinity to pods
	spreading    = "spreading"    // topology spread constraints
	owners       = "owners"       // services and controllers, which spread by default
	ports        = "ports"        // host ports
	preemption   = "preemption"   // full nodes and several priorities
	budgets      = "budgets"      // disruption budgets, together with preemption
	images       = "images"       // images on nodes
	volumes      = "volumes"      // persistent volumes and claims
	disks        = "disks"        // inline volumes that exclude each other
	profiles     = "profiles"     // several profiles, and plugin arguments
	events       = "events"       // changes between attempts
	runs         = "runs"         // many equal pods one after another
	alternation  = "alternation"  // few templates, taking turns
	ties         = "ties"         // equal nodes
	nominations  = "nominations"  // pods that wait for a node already
	gates        = "gates"        // pods that may not be scheduled yet
	extenders    = "extenders"    // services that filter and score
	manyNodes    = "manyNodes"    // hundreds of nodes
	manyPods     = "manyPods"     // hundreds of pending pods
)

// Every so many-th seed has many nodes, or many pods.
const (
	seedsToManyNodes = 90
	seedsToManyPods  = 40
)

var flavours = []string{resources, corners, nodeAffinity, taints, podAffinity, podAffinity, spreading, spreading, owners, ports,
	preemption, preemption, budgets, images, volumes, volumes, disks, profiles, profiles, events, runs, runs, alternation, ties, nominations, gates, extenders}

// Case makes the cluster of a seed. The same seed makes the same cluster.
func Case(seed int64) *recording.Input {
	g := &generator{dice: newDice(seed), flavoured: map[string]bool{}}
	g.input = &recording.Input{Name: fmt.Sprintf("seed-%d", seed), Seed: seed}
	for range g.between(1, 3) {
		g.flavoured[pick(g.dice, flavours...)] = true
	}
	if g.flavoured[budgets] {
		g.flavoured[preemption] = true
	}
	if seed%seedsToManyNodes == 0 {
		g.flavoured[manyNodes] = true
	}
	if seed%seedsToManyPods == 0 {
		g.flavoured[manyPods] = true
	}
	for flavour := range g.flavoured {
		g.input.Flavours = append(g.input.Flavours, flavour)
	}
	sort.Strings(g.input.Flavours)

	g.makeNamespaces()
	g.makeConfiguration()
	g.makeNodes()
	g.makeStorage()
	g.makeOwners()
	g.makeTemplates()
	g.makeBoundPods()
	g.makePendingPods()
	g.makeBudgets()
	g.makeEvents()
	return g.input
}

type generator struct {
	dice
	flavoured  map[string]bool
	input      *recording.Input
	profiles   []string // scheduler names
	zones      []string
	templates  []*template
	claimCount int
	strangers  int // claims that look like a pod's own and are not
}

// likely is a probability that depends on whether the cluster has a flavour.
func (g *generator) likely(flavour string, with, without int) bool {
	if g.flavoured[flavour] {
		return g.chance(with)
	}
	return g.chance(without)
}

func (g *generator) makeNamespaces() {
	for _, name := range []string{"default", "team-a", "team-b", "team-c"} {
		labels := map[string]string{corev1.LabelMetadataName: name}
		switch name {
		case "team-a":
			labels["team"], labels["env"] = "a", "prod"
		case "team-b":
			labels["team"], labels["env"] = "b", "dev"
		case "team-c":
			labels["env"] = "prod"
		}
		g.input.Namespaces = append(g.input.Namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
	}
}

// namespace is mostly the same one, so that pods meet.
func (g *generator) namespace() string {
	return pick(g.dice, "default", "default", "default", "team-a", "team-a", "team-b", "team-c")
}
