package golden

import (
	"regexp"
	"strings"
)

// learned is what a recorded run called by other names than this run: UIDs, resource versions, generated names, addresses, tokens of lists.
type learned struct {
	names    map[string]string // recorded to actual
	versions map[string]string // resource versions, recorded to actual
}

func newLearned() *learned {
	return &learned{names: map[string]string{}, versions: map[string]string{}}
}

// same says whether a recorded name stands for the actual one; the first time it is taken as that.
func same(known map[string]string, recorded, actual string) bool {
	if known[recorded] == "" {
		known[recorded] = actual
	}
	return known[recorded] == actual
}

var versionInRequest = regexp.MustCompile(`(resourceVersion(?:=|": ?"))(\d+)`)

// request rewrites a part of a recorded request so that it means the same in this run.
func (l *learned) request(text string) string {
	for recorded, actual := range l.names {
		text = strings.ReplaceAll(text, recorded, actual)
	}
	return versionInRequest.ReplaceAllStringFunc(text, func(found string) string {
		parts := versionInRequest.FindStringSubmatch(found)
		if actual := l.versions[parts[2]]; actual != "" {
			return parts[1] + actual
		}
		return found
	})
}
