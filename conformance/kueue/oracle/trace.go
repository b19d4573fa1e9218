package oracle

import (
	"encoding/json"

	"loadline/conformance/kueue/scenario"
)

// Trace is what the real Kueue made of a scenario: what it was told, in order, and what it decided then.
type Trace struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Seed     int64             `json:"seed"`
	Settings scenario.Settings `json:"settings"`
	Steps    []Moment          `json:"steps"`
}

// Moment is one of its fields.
type Moment struct {
	// At: milliseconds since the start.
	At *int64 `json:"at,omitempty"`
	// Put: an object is so now. Deleted: "Kind/namespace/name".
	Put     json.RawMessage `json:"put,omitempty"`
	Deleted string          `json:"deleted,omitempty"`
	Cycle   *Cycle          `json:"cycle,omitempty"`
}

// Cycle is what one scheduling cycle decided. No events: there were no heads.
type Cycle struct {
	// Events: "namespace/name Reason: message", sorted.
	Events []string `json:"events"`
	// Admitted: by workload.
	Admitted map[string][]PodSet `json:"admitted,omitempty"`
	// Ready, Waiting: by ClusterQueue, the workloads that are in its heap afterwards, and that are inadmissible.
	Ready   map[string][]string `json:"ready,omitempty"`
	Waiting map[string][]string `json:"waiting,omitempty"`
}

// PodSet is an assignment: by resource, flavors and how much.
type PodSet struct {
	Name    string            `json:"name"`
	Count   int32             `json:"count"`
	Flavors map[string]string `json:"flavors,omitempty"`
	Usage   map[string]int64  `json:"usage,omitempty"`
}
