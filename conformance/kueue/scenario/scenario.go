// Package scenario holds what happens to Kueue's objects, step by step.
package scenario

import "encoding/json"

// Scenario is written by the generator, made smaller by the shrinker, and carried out by the oracle.
type Scenario struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Seed     int64    `json:"seed"`
	Settings Settings `json:"settings"`
	Steps    []Step   `json:"steps"`
}

// Settings is what of Kueue's configuration a scenario varies.
type Settings struct {
	FairSharing bool     `json:"fairSharing,omitempty"`
	Strategies  []string `json:"strategies,omitempty"`
	// PodsReady: seconds until a workload whose pods are not ready is evicted; 0: nobody waits.
	PodsReady int `json:"podsReady,omitempty"`
	// BackoffLimit: so many evictions of that kind, then it is deactivated; 0: no limit.
	BackoffLimit int `json:"backoffLimit,omitempty"`
	// CreationTimestamp: who was evicted for its pods keeps its old place in line.
	CreationTimestamp bool `json:"creationTimestamp,omitempty"`
}

// Step is one thing that happens. Those that name a workload that is not there, or is not as it must be, do nothing,
// so that any of them can be left out.
type Step struct {
	// Op: one of the constants below.
	Op string `json:"op"`
	// Object of Put.
	Object json.RawMessage `json:"object,omitempty"`
	// Name: of the others; a workload's is "namespace/name", that of Delete "Kind/namespace/name".
	Name string `json:"name,omitempty"`
	Text string `json:"text,omitempty"`
	More string `json:"more,omitempty"`
	// Number: milliseconds, a priority, pods.
	Number int64 `json:"number,omitempty"`
}

const (
	Put      = "put"      // creates an object, or gives it another spec, or other labels
	Delete   = "delete"   //
	Advance  = "advance"  // the clock, by Number milliseconds
	Cycle    = "cycle"    // one scheduling cycle, if there are heads
	Finish   = "finish"   // the workload, if it is admitted
	Stop     = "stop"     // the job of the workload has stopped, if it was evicted
	Ready    = "ready"    // the pods of the workload are ready, if it is admitted
	NotReady = "notReady" // they are no more
	Check    = "check"    // the check Text of the workload is in state More, if it has quota, and has the check
	Priority = "priority" // of the workload is Number, if it has a class
	Active   = "active"   // spec.active of the workload is Number != 0
	Queue    = "queue"    // of the workload, if it has no quota, is Text
	Reclaim  = "reclaim"  // Number pods more of pod set Text have ended, if the workload is admitted
	Gate     = "gate"     // what holds the workload up is gone
)
