package answer

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
	regexp.MustCompile(`ResourceVersion in record \(\d+\)`),
	regexp.MustCompile(`Invalid value: "\{.*\}": `),                 // the whole object, with its version and times, in the order of a Go struct
	regexp.MustCompile(`Invalid value: \{.*\}: field is immutable`), // likewise, of a field that is a Go struct
	regexp.MustCompile(`in scheme "[^"]+\.go:\d+"`),                 // the line of Go that made a scheme: as the server was built
	regexp.MustCompile("(?s)\n(@@ |\\+ spec|- spec).*"),             // what a change of a pod may not change: a diff of Go structs, or of documents
	regexp.MustCompile(`hash=[0-9A-F]+`),
	regexp.MustCompile(`^\d+(\.\d+){3}:\d+$`),
	regexp.MustCompile(`^(v1\.36|go1)\.\d+.*`),
}

// text compares two texts in a field, or an element of a list.
func (c *comparison) text(where, expected, actual string) bool {
	if expected == actual {
		return true
	}
	field := where[strings.LastIndex(where, ".")+1:]
	switch {
	case field == "resourceVersion":
		return c.version(expected, actual)
	case field == "continue":
		return same(c.known.names, expected, actual)
	case strings.HasPrefix(field, "clusterIP") && address.MatchString(expected) && address.MatchString(actual):
		return same(c.known.names, expected, actual)
	case strings.HasPrefix(field, "cells[") && age.MatchString(expected) && age.MatchString(actual):
		return true
	case strings.HasPrefix(field, "name") && generated.MatchString(expected) && generated.MatchString(actual):
		return same(c.known.names, expected, actual)
	case buildFields[field], field == "description" && strings.Contains(where, ".columnDefinitions["):
		return true // How the server was built; prose, which is each server's own.
	}
	if shuffled(expected, actual) || c.uids(expected, actual) {
		return true
	}
	actual = c.formless(actual)
	expected = withTypesOfSchema(c.formless(expected), actual)
	return expected == actual
}

// namedType is a Go type with a name of its own in the words of Go's decoder.
var namedType = regexp.MustCompile(`(of type |cannot convert \w+ to )((?:\[\])?)[a-z0-9]+\.[A-Z]\w*`)

var schemaType = regexp.MustCompile(`(of type (\[\])?|cannot convert \w+ to )string$`)

// withTypesOfSchema calls Go's named strings what a schema calls them, where the other text does: "of type v1.PodPhase" becomes "of type string".
func withTypesOfSchema(text, other string) string {
	if !schemaType.MatchString(other) {
		return text
	}
	return namedType.ReplaceAllString(text, "${1}${2}string")
}

// buildFields of /version say from what a server was built, with what, and when.
var buildFields = map[string]bool{"buildDate": true, "compiler": true, "gitCommit": true, "gitTreeState": true, "goVersion": true}

// version compares resource versions: what was one version in the expected answers must be one here.
func (c *comparison) version(expected, actual string) bool {
	return number.MatchString(expected) && number.MatchString(actual) && same(c.known.versions, expected, actual)
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
func (c *comparison) uids(expected, actual string) bool {
	old, now := uid.FindAllString(expected, -1), uid.FindAllString(actual, -1)
	if len(old) == 0 || len(old) != len(now) || uid.ReplaceAllString(expected, "") != uid.ReplaceAllString(actual, "") {
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
	for expected, actual := range c.known.names {
		text = strings.ReplaceAll(text, expected, actual)
	}
	for _, form := range forms {
		text = form.ReplaceAllString(text, "…")
	}
	return text
}

// shuffledGroup is the group of our custom resources: kube-apiserver lists what is wrong with one in an order left to chance.
const shuffledGroup = "example.com"

// isShuffled says whether the causes of a Status' details stand in an order left to chance: of a custom resource's faults, and of conflicts with several
// managers.
func isShuffled(details map[string]any) bool {
	causes, _ := details["causes"].([]any)
	return details["group"] == shuffledGroup || slices.ContainsFunc(causes, func(cause any) bool {
		object, _ := cause.(map[string]any)
		return object["reason"] == "FieldManagerConflict"
	})
}

// sortCauses brings the causes of a Status' details into one order.
func sortCauses(details map[string]any) map[string]any {
	causes, ok := details["causes"].([]any)
	if !ok {
		return details
	}
	details, causes = maps.Clone(details), slices.Clone(causes)
	slices.SortFunc(causes, func(a, b any) int { return cmp.Compare(show(a), show(b)) })
	details["causes"] = causes
	return details
}

// withoutEqualCauses leaves each cause of a Status' details there once: upstream lists one as often as its layers found it, and its message names it once.
func withoutEqualCauses(details map[string]any) map[string]any {
	causes, ok := details["causes"].([]any)
	if !ok {
		return details
	}
	seen := map[string]bool{}
	details, causes = maps.Clone(details), slices.Clone(causes)
	details["causes"] = slices.DeleteFunc(causes, func(cause any) bool {
		text := show(cause)
		known := seen[text]
		seen[text] = true
		return known
	})
	return details
}

// sortRules brings the rules of a user into one order: theirs is that in which a Go map lists the bindings.
func sortRules(status map[string]any) map[string]any {
	for _, key := range []string{"resourceRules", "nonResourceRules"} {
		rules, ok := status[key].([]any)
		if !ok {
			continue
		}
		status, rules = maps.Clone(status), slices.Clone(rules)
		slices.SortFunc(rules, func(a, b any) int { return cmp.Compare(show(a), show(b)) })
		status[key] = rules
	}
	return status
}

// sortManagers brings the entries of managedFields into one order: theirs is by seconds, and a run may be slow.
func sortManagers(metadata map[string]any) map[string]any {
	entries, ok := metadata["managedFields"].([]any)
	if !ok {
		return metadata
	}
	metadata, entries = maps.Clone(metadata), slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b any) int { return cmp.Compare(managerOf(a), managerOf(b)) })
	metadata["managedFields"] = entries
	return metadata
}

// managerOf is what tells an entry from the others.
func managerOf(entry any) string {
	object, _ := entry.(map[string]any)
	return fmt.Sprint(object["manager"], object["operation"], object["subresource"], object["apiVersion"])
}

// shuffled says whether two messages about a custom resource list the same faults.
func shuffled(expected, actual string) bool {
	head, faults, ok := strings.Cut(expected, " is invalid: [")
	otherHead, others, otherOk := strings.Cut(actual, " is invalid: [")
	if !ok || !otherOk || head != otherHead || !strings.Contains(head, "."+shuffledGroup) {
		return false
	}
	return slices.Equal(sortFaults(faults), sortFaults(others))
}

func sortFaults(faults string) []string {
	return slices.Sorted(strings.SplitSeq(strings.TrimSuffix(faults, "]"), ", "))
}
