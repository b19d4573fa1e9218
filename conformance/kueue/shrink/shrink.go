// Package shrink makes scenarios smaller that still do what they are kept for.
package shrink

import "loadline/conformance/kueue/scenario"

// Scenario leaves steps out, larger parts first, for as long as it still fails.
func Scenario(it *scenario.Scenario, fails func(*scenario.Scenario) bool) *scenario.Scenario {
	for size := (len(it.Steps) + 1) / 2; size >= 1; {
		smaller := false
		for at := len(it.Steps) - size; at >= 0; at -= size {
			candidate := *it
			candidate.Steps = append(append([]scenario.Step{}, it.Steps[:at]...), it.Steps[at+size:]...)
			if fails(&candidate) {
				it, smaller = &candidate, true
			}
		}
		if !smaller || size > 1 {
			if size == 1 {
				break
			}
			size = (size + 1) / 2
		}
	}
	return it
}
