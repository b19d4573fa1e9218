package operators

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// difference is one place where a server made something else than the recorded one.
type difference struct {
	seed             int64
	state            string // after what
	where            string
	expected, actual string
}

func (d difference) String() string {
	return fmt.Sprintf("case %d, %s: %s\n    expected: %s\n    actual:   %s", d.seed, d.state, d.where, d.expected, d.actual)
}

// event is what an argument finds the event by that differs; empty: none does.
func (d difference) event() string {
	switch {
	case d.where != "event":
		return ""
	case d.expected == nothing:
		return "event+/" + d.actual
	}
	return "event/" + d.expected
}

// tally counts objects in states.
type tally struct{ objects, differ int }

// compare lists where an outcome is not the expected one. An object that is missing is one difference.
func compare(expected, actual *Outcome, count *tally) []difference {
	c := &comparison{seed: expected.Seed, state: "creation"}
	if expected.Refused != actual.Refused {
		count.objects, count.differ = count.objects+1, count.differ+1
		c.add("refused", expected.Refused, actual.Refused)
		return c.found
	}
	for i, before := range expected.States {
		if i > 0 {
			c.state = fmt.Sprintf("step %d (%s)", i, describe(expected.Steps[i-1]))
		}
		if i >= len(actual.States) {
			count.objects, count.differ = count.objects+len(before.Objects), count.differ+len(before.Objects)
			c.add("state", "there", "never reached")
			break
		}
		c.compareStates(before, actual.States[i], count)
		c.compareEvents(before.Events, actual.States[i].Events, expected.Maybe)
	}
	return c.found
}

func describe(step Step) string {
	text := step.Do
	switch step.Do {
	case "fail":
		text = fmt.Sprintf("%s with %d", text, step.Code)
	case "patch":
		text += " " + show(step.Patch)
	case "ray":
		text += " " + step.Status
	}
	return strings.TrimSpace(text + " " + strings.Join(step.Pods, " "))
}

type comparison struct {
	seed  int64
	state string
	found []difference
}

func (c *comparison) add(where string, expected, actual any) {
	c.found = append(c.found, difference{c.seed, c.state, where, show(expected), show(actual)})
}

const nothing = "(nothing)"

// show is a value as text, cut.
func show(value any) string {
	if value == nil {
		return nothing
	}
	text, ok := value.(string)
	if !ok {
		var out strings.Builder
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(value)
		text = strings.TrimSpace(out.String())
	}
	const most = 400
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

func (c *comparison) compareStates(expected, actual State, count *tally) {
	for _, key := range slices.Sorted(maps.Keys(union(expected.Objects, actual.Objects))) {
		before := len(c.found)
		old, known := expected.Objects[key]
		now, there := actual.Objects[key]
		switch {
		case !known:
			c.add(key, nil, now)
		case !there:
			c.add(key, old, nil)
		default:
			c.value(key, old, now)
		}
		count.objects++
		if len(c.found) > before {
			count.differ++
		}
	}
}

func (c *comparison) compareEvents(expected, actual, maybe []string) {
	expected, actual, maybe = withSortedLines(expected), withSortedLines(actual), withSortedLines(maybe)
	for _, event := range without(expected, actual) {
		c.add("event", event, nil)
	}
	for _, event := range without(without(actual, expected), maybe) {
		c.add("event", nil, event)
	}
}

// withSortedLines are events whose messages of several lines have them in order: requests that were made at the same time fail in any.
func withSortedLines(events []string) []string {
	sorted := slices.Clone(events)
	for i, event := range sorted {
		head, message, found := strings.Cut(event, ": ")
		if lines := strings.Split(message, "\n"); found && len(lines) > 1 {
			slices.Sort(lines)
			sorted[i] = head + ": " + strings.Join(lines, "\n")
		}
	}
	return sorted
}

// without are the texts that another list does not hold.
func without(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(others, text) })
}

// agree takes from an outcome what is left to chance, as another run shows: events. If more differs, it returns how.
func (o *Outcome) agree(other *Outcome) []difference {
	found := compare(o, other, &tally{})
	found = slices.DeleteFunc(found, func(d difference) bool { return d.where == "event" })
	if len(found) > 0 {
		return found
	}
	for i := range o.States {
		mine, theirs := o.States[i].Events, other.States[i].Events
		o.Maybe = append(append(o.Maybe, without(mine, theirs)...), without(theirs, mine)...)
		o.States[i].Events = without(mine, without(mine, theirs))
	}
	slices.Sort(o.Maybe)
	o.Maybe = slices.Compact(o.Maybe)
	return nil
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return all
}

func (c *comparison) value(where string, expected, actual any) {
	if reflect.DeepEqual(expected, actual) {
		return
	}
	switch before := expected.(type) {
	case map[string]any:
		if now, ok := actual.(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(union(before, now))) {
				c.member(where, key, before, now)
			}
			return
		}
	case []any:
		if now, ok := actual.([]any); ok {
			c.list(where, before, now)
			return
		}
	}
	c.add(where, expected, actual)
}

func (c *comparison) member(where, key string, expected, actual map[string]any) {
	path := where + "." + key
	if strings.ContainsAny(key, "./") {
		path = fmt.Sprintf("%s[%s]", where, key)
	}
	before, known := expected[key]
	now, there := actual[key]
	switch {
	case !known:
		c.add(path, nil, now)
	case !there:
		c.add(path, before, nil)
	default:
		c.value(path, before, now)
	}
}

func (c *comparison) list(where string, expected, actual []any) {
	for i := range max(len(expected), len(actual)) {
		path := fmt.Sprintf("%s[%d]", where, i)
		switch {
		case i >= len(expected):
			c.add(path, nil, actual[i])
		case i >= len(actual):
			c.add(path, expected[i], nil)
		default:
			c.value(path, expected[i], actual[i])
		}
	}
}
