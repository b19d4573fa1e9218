package shrink_test

import (
	"testing"

	"loadline/conformance/kueue/scenario"
	"loadline/conformance/kueue/shrink"
)

func TestOnlyWhatFailsIsLeft(t *testing.T) {
	it := &scenario.Scenario{Name: "it"}
	for i := int64(0); i < 37; i++ {
		it.Steps = append(it.Steps, scenario.Step{Op: scenario.Advance, Number: i})
	}
	fails := func(candidate *scenario.Scenario) bool {
		found := 0
		for _, step := range candidate.Steps {
			if step.Number == 5 || step.Number == 30 {
				found++
			}
		}
		return found == 2
	}
	small := shrink.Scenario(it, fails)
	if len(small.Steps) != 2 || small.Steps[0].Number != 5 || small.Steps[1].Number != 30 || small.Name != "it" {
		t.Errorf("left are %v of %s", small.Steps, small.Name)
	}
	if len(it.Steps) != 37 {
		t.Errorf("%d are left of what it was", len(it.Steps))
	}
}
