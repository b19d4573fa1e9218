package golden

import (
	"os"
	"path/filepath"
	"testing"
)

const recording = `POST /api/v1/namespaces/default/pods?dryRun=All
Accept: application/json
Content-Type: application/json
{"Impersonate-User": "bob"}
body: {"a":
1}
--- 403
Content-Type: application/json
Warning: 299 - "a: b"
Content-Length: 12

{"code":403}`

func TestParse(t *testing.T) {
	c, err := parse([]byte(recording))
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]string{
		"method": {c.Method, "POST"}, "path": {c.Path, "/api/v1/namespaces/default/pods?dryRun=All"}, "user": {c.Header.Get("Impersonate-User"), "bob"},
		"body": {string(c.Body), "{\"a\":\n1}"}, "answer": {string(c.Answer.Body), `{"code":403}`}, "warning": {c.Answer.Header.Get("Warning"), `299 - "a: b"`},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, not %q", what, pair[0], pair[1])
		}
	}
	if c.Answer.Status != 403 || c.Answer.Cut {
		t.Errorf("status %d, cut: %v", c.Answer.Status, c.Answer.Cut)
	}
	for _, broken := range []string{"", "GET /", "GET /\nAccept: a\n--- 200\n\nx", "GET /\n\n\n\nbody: None\n--- ok\n\nx", "GET /\n\n\nnot json\nbody: None\n--- 200\n\nx"} {
		if _, err := parse([]byte(broken)); err == nil {
			t.Errorf("%q is taken for a recording", broken)
		}
	}
}

func TestDifferencesNeedReasons(t *testing.T) {
	path := filepath.Join(t.TempDir(), "differences.txt")
	for text, fine := range map[string]bool{"# nothing\n\n": true, "034-create-pod it is another\n": true, "034-create-pod\n": false} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readDifferences(path); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}
