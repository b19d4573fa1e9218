package answer

import (
	"net/http"
	"strings"
	"testing"
)

func answered(status int, body string) *Answer {
	return &Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

const (
	one = `"uid":"11111111-1111-1111-1111-111111111111"`
	two = `"uid":"22222222-2222-2222-2222-222222222222"`
)

// TestCompare: what belongs to a run may differ, in one way; everything else may not.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name             string
		expected, actual []string // bodies of answers that follow each other
		where            []string // of the last one's differences
	}{
		{"equal", []string{`{"a":1}`}, []string{`{"a":1}`}, nil},
		{"value", []string{`{"a":1}`}, []string{`{"a":2}`}, []string{"[0].a"}},
		{"type", []string{`{"a":"1"}`}, []string{`{"a":1}`}, []string{"[0].a"}},
		{"missing", []string{`{"a":1,"b":{}}`}, []string{`{"a":1}`}, []string{"[0].b"}},
		{"more", []string{`{}`}, []string{`{"c":null}`}, []string{"[0].c"}},
		{"order of a list", []string{`{"a":[1,2]}`}, []string{`{"a":[2,1]}`}, []string{"[0].a[0]", "[0].a[1]"}},
		{"another uid", []string{`{"metadata":{` + one + `}}`}, []string{`{"metadata":{` + two + `}}`}, nil},
		{"a uid that changes", []string{`{` + one + `}`, `{` + one + `}`}, []string{`{` + two + `}`, `{` + strings.ReplaceAll(two, "2", "3") + `}`}, []string{"[0].uid"}},
		{"versions", []string{`{"metadata":{"resourceVersion":"5"}}`, `{"metadata":{"resourceVersion":"5"}}`}, []string{`{"metadata":{"resourceVersion":"7"}}`, `{"metadata":{"resourceVersion":"8"}}`}, []string{"[0].metadata.resourceVersion"}},
		{"the version of a list", []string{`{"items":[],"metadata":{"resourceVersion":"5"}}`, `{"items":[],"metadata":{"resourceVersion":"5"}}`},
			[]string{`{"items":[],"metadata":{"resourceVersion":"7"}}`, `{"items":[],"metadata":{"resourceVersion":"8"}}`}, nil},
		{"times", []string{`{"t":"2026-01-01T00:00:00Z"}`}, []string{`{"t":"2027-01-01T00:00:01Z"}`}, nil},
		{"no time", []string{`{"t":"2026-01-01T00:00:00Z"}`}, []string{`{"t":null}`}, []string{"[0].t"}},
		{"generated names", []string{`{"name":"g-bcdfg"}`}, []string{`{"name":"g-24567"}`}, nil},
		{"other names", []string{`{"name":"g-abcde"}`}, []string{`{"name":"g-24567"}`}, []string{"[0].name"}},
		{"ages", []string{`{"cells":["p","5s"]}`}, []string{`{"cells":["p","2m"]}`}, nil},
		{"no ages", []string{`{"cells":["p","5s"]}`}, []string{`{"cells":["q","<none>"]}`}, []string{"[0].cells[0]", "[0].cells[1]"}},
		{"a version in a message", []string{`{"message":"too old resource version: 1 (2)"}`}, []string{`{"message":"too old resource version: 3 (9)"}`}, nil},
		{"events", []string{"{\"a\":1}\n{\"a\":2}\n"}, []string{"{\"a\":1}\n"}, []string{"[1]"}},
		{"managers in another order", []string{`{"managedFields":[{"manager":"a"},{"manager":"b"}]}`}, []string{`{"managedFields":[{"manager":"b"},{"manager":"a"}]}`}, nil},
		{"rules in another order", []string{`{"resourceRules":[{"verbs":["get"]},{"verbs":["list"]}]}`}, []string{`{"resourceRules":[{"verbs":["list"]},{"verbs":["get"]}]}`}, nil},
		{"other rules", []string{`{"nonResourceRules":[{"verbs":["get"]}]}`}, []string{`{"nonResourceRules":[{"verbs":["list"]}]}`}, []string{"[0].nonResourceRules[0].verbs[0]"}},
		{"a cause twice", []string{`{"causes":[{"a":1},{"b":1},{"a":1}]}`}, []string{`{"causes":[{"a":1},{"b":1}]}`}, nil},
		{"another cause", []string{`{"causes":[{"a":1},{"b":1}]}`}, []string{`{"causes":[{"a":1}]}`}, []string{"[0].causes[1]"}},
		{"named types", []string{`{"message":"of type []v1.Scope"}`}, []string{`{"message":"of type []string"}`}, nil},
		{"converted types", []string{`{"message":"cannot convert int64 to v1.Mode"}`}, []string{`{"message":"cannot convert int64 to string"}`}, nil},
		{"other types", []string{`{"message":"of type v1.Container"}`}, []string{`{"message":"of type v1.Pod"}`}, []string{"[0].message"}},
		{"schemes", []string{`{"message":"no kind \"A\" in scheme \"pkg/runtime/scheme.go:111\""}`}, []string{`{"message":"no kind \"A\" in scheme \"k8s.io/x/y.go:30\""}`}, nil},
		{"indented", []string{"{\n \"a\":1}"}, []string{`{"a":1}`}, []string{"body's form"}},
		{"not JSON", []string{`{"a":1}`}, []string{`oops`}, []string{"[0]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			known := NewNames()
			var found []Difference
			for i := range test.expected {
				found = Compare(answered(200, test.expected[i]), answered(200, test.actual[i]), known)
			}
			var where []string
			for _, difference := range found {
				where = append(where, difference.Where)
			}
			if strings.Join(where, " ") != strings.Join(test.where, " ") {
				t.Errorf("found %v, want differences at %v", found, test.where)
			}
		})
	}
}

func TestCompareStatusAndHeaders(t *testing.T) {
	if found := Compare(answered(200, "{}"), answered(404, "{}"), NewNames()); len(found) != 1 || found[0].Where != "status" {
		t.Errorf("statuses: %v", found)
	}
	warned := answered(200, "{}")
	warned.Header.Set("Warning", `299 - "unknown field"`)
	if found := Compare(answered(200, "{}"), warned, NewNames()); len(found) != 1 || found[0].Where != "header Warning" {
		t.Errorf("warnings: %v", found)
	}
}

func TestCutAnswersMustSaySomething(t *testing.T) {
	cut := answered(200, `{"begin":`)
	cut.Cut = true
	if found := Compare(cut, answered(200, "{}"), NewNames()); found != nil {
		t.Errorf("a whole answer beside a cut one: %v", found)
	}
	if found := Compare(cut, answered(200, ""), NewNames()); len(found) != 1 {
		t.Errorf("no answer beside a cut one: %v", found)
	}
}

// TestRequest: later requests name what this run calls it.
func TestRequest(t *testing.T) {
	known := NewNames()
	Compare(answered(201, `{"metadata":{`+one+`,"resourceVersion":"5"}}`), answered(201, `{"metadata":{`+two+`,"resourceVersion":"9"}}`), known)
	for before, after := range map[string]string{
		"/x?resourceVersion=5":                        "/x?resourceVersion=9",
		"/x?resourceVersion=55":                       "/x?resourceVersion=55",
		`{"resourceVersion": "5"}`:                    `{"resourceVersion": "9"}`,
		"11111111-1111-1111-1111-111111111111, 5 ago": "22222222-2222-2222-2222-222222222222, 5 ago",
	} {
		if got := known.Request(before); got != after {
			t.Errorf("%s becomes %s, not %s", before, got, after)
		}
	}
}
