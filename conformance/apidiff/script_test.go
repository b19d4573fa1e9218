package apidiff

import (
	"reflect"
	"testing"
	"time"
)

func TestParseRequest(t *testing.T) {
	r, err := parseRequest("change\n# a comment\n# @pause 1s\nPATCH /api/v1/namespaces/{{ns}}/pods/p?x=y\nContent-Type: merge\n\n{\"a\":\n\n1}\n")
	if err != nil {
		t.Fatal(err)
	}
	if r.name != "change" || r.method != "PATCH" || r.pause != time.Second || r.body != "{\"a\":\n\n1}" || r.header.Get("Content-Type") != "application/merge-patch+json" {
		t.Errorf("%+v", r)
	}
	for _, broken := range []string{"name only", "n\n# @pause soon\nGET /", "n\nGET /\nno header"} {
		if _, err := parseRequest(broken); err == nil {
			t.Errorf("%q is taken for a request", broken)
		}
	}
}

// TestScripts: all scripts are read, and names are unique in each, since later requests refer to them.
func TestScripts(t *testing.T) {
	scripts, err := writtenScripts()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		seen := map[string]bool{}
		for _, r := range s.requests {
			if seen[r.name] {
				t.Errorf("%s has two requests %s", s.name, r.name)
			}
			seen[r.name] = true
		}
		if len(seen) < 10 {
			t.Errorf("%s has %d requests", s.name, len(seen))
		}
	}
}

func TestFill(t *testing.T) {
	answers := map[string]any{"made": map[string]any{"metadata": map[string]any{"uid": "7"}}}
	if got := fill("{{ns}}/{{made.metadata.uid}}/{{made.nope.x}}/{{other.y}}", "n", answers); got != "n/7//" {
		t.Error(got)
	}
}

func TestSeedsRepeat(t *testing.T) {
	if !reflect.DeepEqual(generate(3, 50), generate(3, 50)) {
		t.Error("one seed makes different requests")
	}
	if reflect.DeepEqual(generate(3, 50), generate(4, 50)) {
		t.Error("two seeds make the same requests")
	}
}
