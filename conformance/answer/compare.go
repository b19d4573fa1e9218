// Package answer compares what two API servers answer to the same request. What belongs to a run and not to the answer may differ, as long as it does so
// in the same way everywhere: UIDs, resource versions, generated names, times.
package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Answer is what a server answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool // Body is only the begin of what was answered
}

// Difference is one place where an answer is not the expected one.
type Difference struct {
	Where, Expected, Actual string
}

func (d Difference) String() string {
	expected, actual := withoutSharedBegin(d.Expected, d.Actual)
	return fmt.Sprintf("%s\n    expected: %s\n    actual:   %s", d.Where, Shorten(expected), Shorten(actual))
}

// withoutSharedBegin cuts what two long texts begin with, but for the end of it.
func withoutSharedBegin(a, b string) (string, string) {
	const shown = 100
	shared := 0
	for shared < min(len(a), len(b)) && a[shared] == b[shared] {
		shared++
	}
	if shared <= 2*shown {
		return a, b
	}
	return "…" + a[shared-shown:], "…" + b[shared-shown:]
}

// comparison of one case.
type comparison struct {
	known       *Names
	differences []Difference
}

func (c *comparison) add(where, expected, actual string) {
	c.differences = append(c.differences, Difference{where, expected, actual})
}

// Shorten cuts long texts for printing.
func Shorten(text string) string {
	const most = 400
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// comparedHeaders are those that clients read.
var comparedHeaders = []string{"Content-Type", "Warning", "Retry-After", "Allow"}

// Compare lists the differences of an answer from the expected one, and learns how this run calls what that one named.
func Compare(expected, actual *Answer, known *Names) []Difference {
	c := &comparison{known: known}
	if expected.Status != actual.Status {
		c.add("status", fmt.Sprintf("%d %s", expected.Status, expected.Body), fmt.Sprintf("%d %s", actual.Status, actual.Body))
		return c.differences
	}
	for _, name := range comparedHeaders {
		before, now := strings.Join(expected.Header.Values(name), "; "), strings.Join(actual.Header.Values(name), "; ")
		if before != now {
			c.add("header "+name, before, now)
		}
	}
	c.body(expected, actual)
	return c.differences
}

func (c *comparison) body(expected, actual *Answer) {
	if expected.Cut {
		if len(actual.Body) == 0 {
			c.add("body", "something", "nothing")
		}
		return
	}
	contentType := expected.Header.Get("Content-Type")
	before, err := documents(contentType, expected.Body)
	if err != nil {
		before = []any{string(expected.Body)}
	}
	now, err := documents(contentType, actual.Body)
	if err != nil {
		now = []any{string(actual.Body)}
	}
	if pretty(expected.Body) != pretty(actual.Body) {
		c.add("body's form", string(expected.Body), string(actual.Body))
	}
	c.list("", before, now)
}

// pretty says whether JSON is indented for reading.
func pretty(body []byte) bool { return bytes.HasPrefix(body, []byte("{\n")) }

// documents parses a body: a stream of JSON values, one YAML document, or lines of text.
func documents(contentType string, body []byte) ([]any, error) {
	switch {
	case strings.HasPrefix(contentType, "application/yaml"):
		var value any
		err := yaml.Unmarshal(body, &value)
		return []any{value}, err
	case strings.HasPrefix(contentType, "text/plain") && !json.Valid(body): // The index of /openapi/v3 is called text.
		var lines []any
		for line := range strings.Lines(strings.TrimRight(string(body), "\n")) {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
		return lines, nil
	}
	return jsonValues(body)
}

func jsonValues(body []byte) ([]any, error) {
	var values []any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	for {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}

func (c *comparison) value(where string, expected, actual any) {
	switch expected := expected.(type) {
	case map[string]any:
		if actual, ok := actual.(map[string]any); ok {
			c.object(where, expected, actual)
			return
		}
	case []any:
		if actual, ok := actual.([]any); ok {
			c.list(where, expected, actual)
			return
		}
	case string:
		if actual, ok := actual.(string); ok {
			if !c.text(where, expected, actual) {
				c.add(where, expected, actual)
			}
			return
		}
	}
	if !reflect.DeepEqual(expected, actual) {
		c.add(where, show(expected), show(actual))
	}
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (c *comparison) object(where string, expected, actual map[string]any) {
	expected, actual = withoutStoreVersion(expected), withoutStoreVersion(actual)
	expected, actual = sortManagers(expected), sortManagers(actual)
	expected, actual = sortRules(expected), sortRules(actual)
	expected, actual = withoutEqualCauses(expected), withoutEqualCauses(actual)
	if isShuffled(expected) {
		expected, actual = sortCauses(expected), sortCauses(actual)
	}
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		if value, ok := actual[key]; ok {
			c.value(where+"."+key, expected[key], value)
		} else {
			c.add(where+"."+key, show(expected[key]), "nothing")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(actual)) {
		if _, ok := expected[key]; !ok {
			c.add(where+"."+key, "nothing", show(actual[key]))
		}
	}
}

func (c *comparison) list(where string, expected, actual []any) {
	if len(expected) != len(actual) && areTexts(expected) && areTexts(actual) {
		c.texts(where, expected, actual)
		return
	}
	for i := range min(len(expected), len(actual)) {
		c.value(fmt.Sprintf("%s[%d]", where, i), expected[i], actual[i])
	}
	for i := len(actual); i < len(expected); i++ {
		c.add(fmt.Sprintf("%s[%d]", where, i), show(expected[i]), "nothing")
	}
	for i := len(expected); i < len(actual); i++ {
		c.add(fmt.Sprintf("%s[%d]", where, i), "nothing", show(actual[i]))
	}
}

func areTexts(list []any) bool {
	return !slices.ContainsFunc(list, func(value any) bool { _, text := value.(string); return !text })
}

// texts compares lists of texts of which one has more: what only one has is the difference.
func (c *comparison) texts(where string, expected, actual []any) {
	for _, text := range expected {
		if !slices.Contains(actual, text) {
			c.add(where+"[]", text.(string), "nothing")
		}
	}
	for _, text := range actual {
		if !slices.Contains(expected, text) {
			c.add(where+"[]", "nothing", text.(string))
		}
	}
}
