package shrink

import (
	"slices"
	"testing"
	"time"

	"loadline/conformance/admission"
	"loadline/conformance/generate"
	"loadline/conformance/oracle"
	"loadline/conformance/recording"
)

// refusedBy tells whether the plugin refuses a node in some attempt: that is the divergence we plant.
func refusedBy(plugin string) func(*recording.Input) bool {
	return func(input *recording.Input) bool {
		_, expected, err := oracle.Run(input)
		return err == nil && slices.ContainsFunc(expected.Attempts, func(a *recording.Attempt) bool {
			return slices.ContainsFunc(a.Infeasible, func(r recording.Refusal) bool { return r.Plugin == plugin })
		})
	}
}

func TestAPlantedDivergenceIsShrunkToWhatShowsIt(t *testing.T) {
	for _, plugin := range []string{"TaintToleration", "NodePorts"} {
		shows := refusedBy(plugin)
		seed := int64(1)
		for len(generate.Case(seed).PendingPods) > 15 || !shows(generate.Case(seed)) {
			seed++
		}
		small, err := Input(generate.Case(seed), time.Now().Add(time.Minute), shows)
		if err != nil {
			t.Fatal(err)
		}
		if !shows(small) {
			t.Errorf("%s: seed %d no longer shows it", plugin, seed)
		}
		// A conflict takes two pods, of which one may be bound.
		if len(small.Nodes) != 1 || len(small.PendingPods) == 0 || len(small.PendingPods)+len(small.Pods) > 2 || len(small.Namespaces)+len(small.Events)+len(small.Services) > 0 {
			t.Errorf("%s: seed %d keeps %d nodes, %d pending and %d bound pods", plugin, seed, len(small.Nodes), len(small.PendingPods), len(small.Pods))
		}
		admission.Default(small)
		if err := admission.Validate(small); err != nil {
			t.Errorf("%s: seed %d became invalid: %v", plugin, seed, err)
		}
	}
}

func TestWhatCannotShrinkStays(t *testing.T) {
	input := generate.Case(1)
	whole := len(input.PendingPods)
	same, err := Input(input, time.Now().Add(time.Minute), func(*recording.Input) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if len(same.PendingPods) != whole {
		t.Errorf("%d of %d pending pods are left", len(same.PendingPods), whole)
	}
}
