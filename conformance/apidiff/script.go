// Package apidiff sends the same requests to two API servers, the real one and Loadline's, and compares what they answer.
package apidiff

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

//go:embed requests
var written embed.FS

// request is one request of a script. In path and body, {{NAME.field.field}} stands for a field of what the same server answered to the request of that
// name.
type request struct {
	name   string
	method string
	path   string
	header http.Header
	body   string
	pause  time.Duration // what the real server's caches need afterwards, until they know
}

// script is a list of requests in a namespace of its own, called as the script.
type script struct {
	name     string
	requests []*request
}

// writtenScripts reads the scripts of requests/, each in the format of .http files: "### NAME", comments ("# @pause 1s" is one that is heard), the
// request's line, headers, an empty line, and the body.
func writtenScripts() ([]*script, error) {
	files, err := fs.Glob(written, "requests/*.http")
	if err != nil {
		return nil, err
	}
	var scripts []*script
	for _, file := range files {
		text, err := written.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s := &script{name: strings.TrimSuffix(path.Base(file), ".http")}
		for _, part := range strings.Split("\n"+string(text), "\n### ")[1:] {
			r, err := parseRequest(part)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			s.requests = append(s.requests, r)
		}
		scripts = append(scripts, s)
	}
	return scripts, nil
}

func parseRequest(text string) (*request, error) {
	name, rest, _ := strings.Cut(text, "\n")
	head, body, _ := strings.Cut(rest, "\n\n")
	r := &request{name: strings.TrimSpace(name), header: http.Header{}, body: strings.TrimSpace(body)}
	for line := range strings.SplitSeq(head, "\n") {
		if err := r.parseLine(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if r.method == "" {
		return nil, fmt.Errorf("%s: no request", r.name)
	}
	r.completeHeader()
	return r, nil
}

func (r *request) parseLine(line string) error {
	if pause, ok := strings.CutPrefix(line, "# @pause "); ok {
		var err error
		r.pause, err = time.ParseDuration(pause)
		return err
	}
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
	case r.method == "":
		r.method, r.path, _ = strings.Cut(line, " ")
	default:
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%q is no header", line)
		}
		r.header.Set(name, strings.TrimSpace(value))
	}
	return nil
}

// shortTypes are the patches' content types, for which scripts have one word.
var shortTypes = map[string]string{
	"merge":     "application/merge-patch+json",
	"json":      "application/json-patch+json",
	"strategic": "application/strategic-merge-patch+json",
	"apply":     "application/apply-patch+yaml",
}

func (r *request) completeHeader() {
	if r.header.Get("Accept") == "" {
		r.header.Set("Accept", "application/json")
	}
	if r.header.Get("Accept") == "table" {
		r.header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	}
	contentType := r.header.Get("Content-Type")
	if long := shortTypes[contentType]; long != "" {
		r.header.Set("Content-Type", long)
	} else if contentType == "" && r.body != "" {
		r.header.Set("Content-Type", "application/json")
	}
	if r.header.Get("User-Agent") == "" {
		r.header.Set("User-Agent", "apidiff")
	}
}

var placeholder = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// fill puts this server's values for placeholders in. What there is no value for stays empty: the request is then wrong in the same way on both.
func fill(text, namespace string, answers map[string]any) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "{}")
		if name == "ns" {
			return namespace
		}
		name, fields, _ := strings.Cut(name, ".")
		value := answers[name]
		for field := range strings.SplitSeq(fields, ".") {
			object, _ := value.(map[string]any)
			value = object[field]
		}
		if value == nil {
			return ""
		}
		return fmt.Sprint(value)
	})
}
