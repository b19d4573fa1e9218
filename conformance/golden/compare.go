package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Difference is one place where an answer is not the recorded one.
type Difference struct {
	Where, Recorded, Actual string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s\n    recorded: %s\n    actual:   %s", d.Where, d.Recorded, d.Actual)
}

// comparison of one case.
type comparison struct {
	known       *learned
	differences []Difference
}

func (c *comparison) add(where, recorded, actual string) {
	c.differences = append(c.differences, Difference{where, shorten(recorded), shorten(actual)})
}

func shorten(text string) string {
	const most = 400
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// comparedHeaders are those that clients read.
var comparedHeaders = []string{"Content-Type", "Warning", "Retry-After", "Allow"}

// compare lists the differences of an answer from the recorded one.
func compare(recorded *Case, status int, header http.Header, body []byte, known *learned) []Difference {
	c := &comparison{known: known}
	if recorded.Status != status {
		c.add("status", strconv.Itoa(recorded.Status), fmt.Sprintf("%d %s", status, body))
		return c.differences
	}
	for _, name := range comparedHeaders {
		expected, actual := strings.Join(recorded.AnswerHeader.Values(name), "; "), strings.Join(header.Values(name), "; ")
		if expected != actual {
			c.add("header "+name, expected, actual)
		}
	}
	c.body(recorded, body)
	return c.differences
}

func (c *comparison) body(recorded *Case, body []byte) {
	if recorded.Cut() {
		if len(body) == 0 {
			c.add("body", "something", "nothing")
		}
		return
	}
	expected, err := documents(recorded.AnswerHeader.Get("Content-Type"), recorded.Answer)
	if err != nil {
		c.add("recording", "a body that can be read", err.Error())
		return
	}
	actual, err := documents(recorded.AnswerHeader.Get("Content-Type"), body)
	if err != nil {
		c.add("body", shorten(string(recorded.Answer)), fmt.Sprintf("%v: %s", err, body))
		return
	}
	if pretty(recorded.Answer) != pretty(body) {
		c.add("body's form", shorten(string(recorded.Answer)), string(body))
	}
	c.list("", expected, actual)
}

// pretty says whether JSON is indented for reading.
func pretty(body []byte) bool { return bytes.HasPrefix(body, []byte("{\n")) }

// documents parses a body: a stream of JSON values, one YAML document, or lines of text.
func documents(contentType string, body []byte) ([]any, error) {
	switch {
	case strings.HasPrefix(contentType, "application/yaml"):
		var value any
		return []any{value}, yaml.Unmarshal(body, &value)
	case strings.HasPrefix(contentType, "text/plain"):
		if json.Valid(body) { // The index of /openapi/v3 is called text.
			break
		}
		var lines []any
		for line := range strings.Lines(strings.TrimRight(string(body), "\n")) {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
		return lines, nil
	}
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

func (c *comparison) value(where string, recorded, actual any) {
	switch recorded := recorded.(type) {
	case map[string]any:
		if actual, ok := actual.(map[string]any); ok {
			c.object(where, recorded, actual)
			return
		}
	case []any:
		if actual, ok := actual.([]any); ok {
			c.list(where, recorded, actual)
			return
		}
	case string:
		if actual, ok := actual.(string); ok {
			if !c.text(where, recorded, actual) {
				c.add(where, recorded, actual)
			}
			return
		}
	}
	if !reflect.DeepEqual(recorded, actual) {
		c.add(where, show(recorded), show(actual))
	}
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (c *comparison) object(where string, recorded, actual map[string]any) {
	recorded, actual = withoutStoreVersion(recorded), withoutStoreVersion(actual)
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		if value, ok := actual[key]; ok {
			c.value(where+"."+key, recorded[key], value)
		} else {
			c.add(where+"."+key, show(recorded[key]), "nothing")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(actual)) {
		if _, ok := recorded[key]; !ok {
			c.add(where+"."+key, "nothing", show(actual[key]))
		}
	}
}

func (c *comparison) list(where string, recorded, actual []any) {
	if len(recorded) != len(actual) && areTexts(recorded) && areTexts(actual) {
		c.texts(where, recorded, actual)
		return
	}
	for i := range min(len(recorded), len(actual)) {
		c.value(fmt.Sprintf("%s[%d]", where, i), recorded[i], actual[i])
	}
	for i := len(actual); i < len(recorded); i++ {
		c.add(fmt.Sprintf("%s[%d]", where, i), show(recorded[i]), "nothing")
	}
	for i := len(recorded); i < len(actual); i++ {
		c.add(fmt.Sprintf("%s[%d]", where, i), "nothing", show(actual[i]))
	}
}

func areTexts(list []any) bool {
	return !slices.ContainsFunc(list, func(value any) bool { _, text := value.(string); return !text })
}

// texts compares lists of texts of which one has more: what only one has is the difference.
func (c *comparison) texts(where string, recorded, actual []any) {
	for _, text := range recorded {
		if !slices.Contains(actual, text) {
			c.add(where+"[]", text.(string), "nothing")
		}
	}
	for _, text := range actual {
		if !slices.Contains(recorded, text) {
			c.add(where+"[]", "nothing", text.(string))
		}
	}
}

var (
	uid       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	generated = regexp.MustCompile(`^.+-[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	address   = regexp.MustCompile(`^10\.\d+\.\d+\.\d+$`)
	number    = regexp.MustCompile(`^\d+$`)
	age       = regexp.MustCompile(`^(\d+[smhdy])+$`)
)

// forms are texts that say when or where a run was: the same in both runs, whatever they say.
var forms = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`),
	regexp.MustCompile(`resource version: \d+( \(\d+\)|, current: \d+)?`),
	regexp.MustCompile(`hash=[0-9A-F]+`),
	regexp.MustCompile(`^\d+(\.\d+){3}:\d+$`),
	regexp.MustCompile(`^(v1\.36|go1)\.\d+.*`),
}

// text compares two texts in a field, or an element of a list.
func (c *comparison) text(where, recorded, actual string) bool {
	if recorded == actual {
		return true
	}
	field := where[strings.LastIndex(where, ".")+1:]
	switch {
	case field == "resourceVersion":
		return c.version(recorded, actual)
	case field == "continue":
		return same(c.known.names, recorded, actual)
	case strings.HasPrefix(field, "clusterIP") && address.MatchString(recorded) && address.MatchString(actual):
		return same(c.known.names, recorded, actual)
	case strings.HasPrefix(field, "cells[") && age.MatchString(recorded) && age.MatchString(actual):
		return true
	case strings.HasPrefix(field, "name") && generated.MatchString(recorded) && generated.MatchString(actual):
		return same(c.known.names, recorded, actual)
	case buildFields[field]:
		return true
	}
	return c.uids(recorded, actual) || c.formless(recorded) == c.formless(actual)
}

// buildFields of /version say who built a server, and when.
var buildFields = map[string]bool{"buildDate": true, "gitCommit": true, "gitTreeState": true, "goVersion": true}

// version compares resource versions: what was one version in the recorded answers must be one here.
func (c *comparison) version(recorded, actual string) bool {
	return number.MatchString(recorded) && number.MatchString(actual) && same(c.known.versions, recorded, actual)
}

// withoutStoreVersion leaves the resource version out of a list, a table and a bookmark: it is the whole store's, where the server's own writes count.
func withoutStoreVersion(object map[string]any) map[string]any {
	_, list := object["items"]
	_, table := object["rows"]
	inner, key := object["metadata"], "metadata"
	if object["type"] == "BOOKMARK" {
		inner, key = object["object"], "object"
	} else if !list && !table {
		return object
	}
	metadata, ok := inner.(map[string]any)
	if !ok {
		return object
	}
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	if nested, ok := metadata["metadata"].(map[string]any); ok {
		nested = maps.Clone(nested)
		delete(nested, "resourceVersion")
		metadata["metadata"] = nested
	}
	delete(metadata, "resourceVersion")
	object[key] = metadata
	return object
}

// uids compares texts that hold UIDs: one UID must have one other name.
func (c *comparison) uids(recorded, actual string) bool {
	old, now := uid.FindAllString(recorded, -1), uid.FindAllString(actual, -1)
	if len(old) == 0 || len(old) != len(now) || uid.ReplaceAllString(recorded, "") != uid.ReplaceAllString(actual, "") {
		return false
	}
	for i := range old {
		if !same(c.known.names, old[i], now[i]) {
			return false
		}
	}
	return true
}

func (c *comparison) formless(text string) string {
	for recorded, actual := range c.known.names {
		text = strings.ReplaceAll(text, recorded, actual)
	}
	for _, form := range forms {
		text = form.ReplaceAllString(text, "…")
	}
	return text
}
