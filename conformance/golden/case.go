// Package golden replays recorded requests against an API server, in their order, and compares its answers with the recorded ones of a real
// kube-apiserver.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"loadline/conformance/answer"
)

// Case is one recorded request and its answer.
type Case struct {
	Name   string // the file's: "034-create-pod"
	Method string
	Path   string // with its query
	Header http.Header
	Body   []byte // nil: none

	Answer answer.Answer
}

// mostRecorded is where the recorder stopped writing an answer down.
const mostRecorded = 200000

// ReadCases reads all recordings of a folder, in order of their names.
func ReadCases(folder string) ([]*Case, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	cases := make([]*Case, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		recorded, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		recorded.Name = strings.TrimSuffix(filepath.Base(path), ".txt")
		cases = append(cases, recorded)
	}
	return cases, nil
}

// parse reads one recording: the request's line, Accept, Content-Type, further headers as a JSON object or an empty line, "body: …", then
// "--- STATUS", headers, an empty line, and the answer.
func parse(text []byte) (*Case, error) {
	request, answer, ok := bytes.Cut(text, []byte("\n--- "))
	if !ok {
		return nil, fmt.Errorf("no answer in it")
	}
	c := &Case{}
	if err := c.parseRequest(string(request)); err != nil {
		return nil, err
	}
	return c, c.parseAnswer(string(answer))
}

func (c *Case) parseRequest(text string) error {
	lines := strings.SplitN(text, "\n", 5)
	if len(lines) != 5 {
		return fmt.Errorf("a request has five parts, this one %d", len(lines))
	}
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		return fmt.Errorf("no request in %q", lines[0])
	}
	c.Method, c.Path, c.Header = method, path, http.Header{}
	for _, line := range lines[1:3] {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(value) != "" {
			c.Header.Set(name, strings.TrimSpace(value))
		}
	}
	if lines[3] != "" {
		further := map[string]string{}
		if err := json.Unmarshal([]byte(lines[3]), &further); err != nil {
			return fmt.Errorf("headers %q: %w", lines[3], err)
		}
		for name, value := range further {
			c.Header.Set(name, value)
		}
	}
	if body := strings.TrimPrefix(lines[4], "body: "); body != "None" {
		c.Body = []byte(body)
	}
	return nil
}

func (c *Case) parseAnswer(text string) error {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		return fmt.Errorf("no body in the answer")
	}
	lines := strings.Split(head, "\n")
	status, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return err
	}
	c.Answer = answer.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		c.Answer.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	length, err := strconv.Atoi(c.Answer.Header.Get("Content-Length"))
	c.Answer.Cut = (err == nil && length > len(body)) || len(body) >= mostRecorded
	return nil
}
