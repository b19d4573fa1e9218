package oracle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"loadline/conformance/generate"
	"loadline/conformance/oracle"
	"loadline/conformance/recording"
)

func TestTheSameInputGivesTheSameRecording(t *testing.T) {
	for name, generator := range map[string]func(int64) *recording.Input{"Case": generate.Case, "Grouped": generate.Grouped} {
		for seed := int64(1); seed <= 40; seed++ {
			one, other := run(t, generator(seed)), run(t, generator(seed))
			if !bytes.Equal(one, other) {
				t.Errorf("%s: seed %d was recorded in two ways", name, seed)
			}
		}
	}
}

func run(t *testing.T, input *recording.Input) []byte {
	t.Helper()
	_, expected, err := oracle.Run(input)
	if errors.Is(err, oracle.ErrUnscored) || errors.Is(err, oracle.ErrPortTwice) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := recording.Marshal(expected)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Recordings made by another program, from the same scheduler: attempts are the same up to the first tie broken otherwise.
func TestRecordedCasesAreRecordedAgain(t *testing.T) {
	folders, err := filepath.Glob("../cases/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no recorded cases", err)
	}
	for _, folder := range folders {
		input, err := recording.ReadInput(folder)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var before recording.Expected
		if err := json.Unmarshal(text, &before); err != nil {
			t.Fatal(err)
		}
		_, now, err := oracle.Run(input)
		if err != nil {
			t.Fatal(err)
		}
		for i, attempt := range before.Attempts {
			if !reflect.DeepEqual(decision(attempt), decision(now.Attempts[i])) {
				t.Errorf("%s attempt %d:\n  %v\nnow\n  %v", folder, i, decision(attempt), decision(now.Attempts[i]))
			}
			if attempt.NodeName != now.Attempts[i].NodeName || attempt.NominatedNode != now.Attempts[i].NominatedNode {
				break // a tie
			}
		}
	}
}

// decision is what does not depend on chance.
func decision(a *recording.Attempt) []any {
	return []any{a.Pod, a.PodAttempt, a.Feasible, refusals(a), a.SkippedFilter, a.SkippedScore, a.MaxScore != nil && *a.MaxScore > 0, a.MaxNodes,
		a.Result, a.Permit, a.Message, a.UnschedulablePlugins, a.Preemption != nil && a.Preemption.Eligible, a.OtherNominated}
}

// refusals by node, whatever the order of groups and of reasons.
func refusals(a *recording.Attempt) map[int]string {
	byNode := map[int]string{}
	for _, refusal := range a.Infeasible {
		for _, node := range refusal.Nodes {
			byNode[node] = fmt.Sprint(refusal.Plugin, refusal.Code, slices.Sorted(slices.Values(refusal.Reasons)))
		}
	}
	return byNode
}
