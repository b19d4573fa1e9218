package answer

import (
	"regexp"
	"strings"
)

// Names is what one run calls otherwise than the expected one: UIDs, resource versions, generated names, addresses, tokens of lists. It is learned from
// answers as they are compared.
type Names struct {
	names    map[string]string // expected to actual
	versions map[string]string // resource versions, expected to actual
}

// NewNames returns the names of two runs that begin.
func NewNames() *Names { return &Names{names: map[string]string{}, versions: map[string]string{}} }

// same says whether an expected name stands for the actual one; the first time it is taken as that.
func same(known map[string]string, expected, actual string) bool {
	if known[expected] == "" {
		known[expected] = actual
	}
	return known[expected] == actual
}

var versionInRequest = regexp.MustCompile(`(resourceVersion(?:=|": ?"))(\d+)`)

// Request rewrites a part of a request of the expected run so that it means the same in the actual one.
func (n *Names) Request(text string) string {
	for expected, actual := range n.names {
		text = strings.ReplaceAll(text, expected, actual)
	}
	return versionInRequest.ReplaceAllStringFunc(text, func(found string) string {
		parts := versionInRequest.FindStringSubmatch(found)
		if actual := n.versions[parts[2]]; actual != "" {
			return parts[1] + actual
		}
		return found
	})
}
