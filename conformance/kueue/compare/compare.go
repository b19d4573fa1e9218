// Package compare says whether ours decides as the real Kueue does.
package compare

import (
	"loadline/conformance/kueue/oracle"
	"loadline/conformance/kueue/ours"
	"loadline/conformance/kueue/scenario"
)

// Verdict about one scenario.
type Verdict struct {
	Trace  *oracle.Trace
	Answer *ours.Answer
	// Runs of the real one until ours agreed with one of them: more than one where it hangs on the order of a map.
	Runs int
}

// Scenario runs the real one until ours agrees with it from end to end, at most so often: where upstream hangs on the
// order of a map, ours must be among what comes of it. What is returned if none agrees is the run that ours was with
// the longest.
func Scenario(child *ours.Child, it *scenario.Scenario, runs int) (*Verdict, error) {
	var best *Verdict
	for run := 1; run <= runs; run++ {
		trace, err := oracle.Run(it)
		if err != nil {
			return nil, err
		}
		answer, err := child.Ask(trace)
		if err != nil {
			return nil, err
		}
		if best == nil || answer.Step > best.Answer.Step {
			best = &Verdict{Trace: trace, Answer: answer}
		}
		if answer.Agrees() {
			return &Verdict{trace, answer, run}, nil
		}
		if answer.Error != "" {
			break
		}
	}
	best.Runs = runs
	return best, nil
}
