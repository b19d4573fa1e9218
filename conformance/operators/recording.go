package operators

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// line is an outcome in a recording: a line of JSON. States hold what became different from the one before.
type line struct {
	Case
	Refused string   `json:"refused,omitempty"`
	States  []change `json:"states,omitempty"`
	Maybe   []string `json:"maybe,omitempty"`
}

// change is what is different from the state before: JSON merge patches of objects (an object that is new is one of nothing), and those that are gone.
type change struct {
	Set    map[string]any `json:"set,omitempty"`
	Gone   []string       `json:"gone,omitempty"`
	Events []string       `json:"events,omitempty"`
}

func compress(outcome *Outcome) line {
	out := line{Case: outcome.Case, Refused: outcome.Refused, Maybe: outcome.Maybe}
	before := map[string]any{}
	for _, state := range outcome.States {
		step := change{Set: map[string]any{}, Events: state.Events}
		for _, key := range slices.Sorted(maps.Keys(state.Objects)) {
			old, known := before[key]
			switch {
			case !known:
				step.Set[key] = state.Objects[key]
			case !reflect.DeepEqual(old, state.Objects[key]):
				step.Set[key] = mergePatch(old, state.Objects[key])
			}
		}
		for _, key := range slices.Sorted(maps.Keys(before)) {
			if _, known := state.Objects[key]; !known {
				step.Gone = append(step.Gone, key)
			}
		}
		out.States = append(out.States, step)
		before = state.Objects
	}
	return out
}

func expand(in line) *Outcome {
	out := &Outcome{Case: in.Case, Refused: in.Refused, Maybe: in.Maybe}
	now := map[string]any{}
	for _, step := range in.States {
		now = maps.Clone(now)
		for key, patch := range step.Set {
			now[key] = merge(now[key], patch)
		}
		for _, key := range step.Gone {
			delete(now, key)
		}
		out.States = append(out.States, State{Objects: now, Events: step.Events})
	}
	return out
}

// mergePatch makes the first value the second one, by RFC 7386. There are no nulls in normalised objects.
func mergePatch(from, to any) any {
	before, ok := from.(map[string]any)
	after, ok2 := to.(map[string]any)
	if !ok || !ok2 {
		return to
	}
	patch := map[string]any{}
	for key, value := range after {
		if old, known := before[key]; !known {
			patch[key] = value
		} else if !reflect.DeepEqual(old, value) {
			patch[key] = mergePatch(old, value)
		}
	}
	for key := range before {
		if _, known := after[key]; !known {
			patch[key] = nil
		}
	}
	return patch
}

func merge(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	old, _ := value.(map[string]any)
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	for key, change := range changes {
		if change == nil {
			delete(out, key)
		} else {
			out[key] = merge(out[key], change)
		}
	}
	return out
}

const recordings = "conformance/operators/recordings"

func recordingOf(kind string) string { return filepath.Join(recordings, kind+".jsonl.gz") }

// save writes a recording. The same outcomes make the same bytes.
func save(path string, outcomes []*Outcome) error {
	var text bytes.Buffer
	packed, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(packed)
	encoder.SetEscapeHTML(false)
	for _, outcome := range outcomes {
		if err := encoder.Encode(compress(outcome)); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func load(path string) ([]*Outcome, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var outcomes []*Outcome
	decoder := json.NewDecoder(packed)
	for {
		var next line
		if err := decoder.Decode(&next); err == io.EOF {
			return outcomes, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		outcomes = append(outcomes, expand(next))
	}
}
