package apidiff

import (
	"bufio"
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"loadline/conformance/answer"
	"loadline/conformance/server"
)

//go:embed differences.txt
var arguedDifferences []byte

type options struct {
	programs         server.Programs
	expected, actual string
	seed             uint64
	requests         int
	most             int
	only             *regexp.Regexp
	verbose          bool
	argued           bool
}

func parseOptions(arguments []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("apidiff", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.expected, "reference", "real", "the server that is right")
	flags.StringVar(&o.actual, "server", "loadline", "the server that is compared with it")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the generated requests")
	flags.IntVar(&o.requests, "requests", 300, "how many requests to generate, after the written ones")
	flags.IntVar(&o.most, "most", 5, "how many differences of a request to print")
	flags.BoolVar(&o.argued, "argued", false, "print the differences that are argued, too")
	flags.BoolVar(&o.verbose, "v", false, "print every request with the expected answer's status")
	only := flags.String("only", "", "send only scripts whose names match")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

// run is a comparison of two servers.
type run struct {
	*options
	reference, candidate                 *side
	reasons                              map[string]string
	used                                 map[string]bool
	same, excused, differing, unanswered int
}

// Run sends all requests to both servers and returns whether the answers were the same.
func Run(arguments []string) (bool, error) {
	o, err := parseOptions(arguments)
	if err != nil {
		return false, err
	}
	scripts, err := writtenScripts()
	if err != nil {
		return false, err
	}
	scripts = append(scripts, generate(o.seed, o.requests))
	r := &run{options: o, used: map[string]bool{}}
	if o.actual != "real" { // Two real servers differ for no reason.
		if r.reasons, err = readReasons(); err != nil {
			return false, err
		}
	}
	if err := r.start(); err != nil {
		return false, err
	}
	defer r.stop()
	for _, s := range scripts {
		if o.only.MatchString(s.name) {
			r.runScript(s)
		}
	}
	fmt.Printf("apidiff: %d answers the same, %d differ as argued, %d differ, %d requests failed; seed %d\n", r.same, r.excused, r.differing, r.unanswered, o.seed)
	return r.differing+r.unanswered+r.countStale() == 0, r.candidate.server.Crashed()
}

// start starts both servers at the same time.
func (r *run) start() error {
	var group sync.WaitGroup
	var referenceError, candidateError error
	group.Go(func() { r.reference, referenceError = newSide(r.expected, r.programs) })
	group.Go(func() { r.candidate, candidateError = newSide(r.actual, r.programs) })
	group.Wait()
	if referenceError != nil || candidateError != nil {
		r.stop()
		return fmt.Errorf("%v %v", referenceError, candidateError)
	}
	return nil
}

func (r *run) stop() {
	for _, side := range []*side{r.reference, r.candidate} {
		if side != nil {
			side.server.Stop()
		}
	}
}

// countStale counts reasons for differences that are none; what was left out cannot tell.
func (r *run) countStale() int {
	stale := 0
	for name, reason := range r.reasons {
		script, _, _ := strings.Cut(name, "/")
		if !r.used[name] && r.only.MatchString(script) {
			fmt.Printf("STALE %s is answered as the real server does, but is argued to differ: %s\n", name, reason)
			stale++
		}
	}
	return stale
}

func (r *run) runScript(s *script) {
	known := answer.NewNames()
	before, after := map[string]any{}, map[string]any{}
	namespace := &request{name: "namespace", method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"{{ns}}"}}`}
	namespace.header = map[string][]string{}
	namespace.completeHeader()
	for _, q := range append([]*request{namespace}, s.requests...) {
		expected, actual, err := r.sendBoth(q, s.name, before, after)
		if err != nil {
			r.unanswered++
			fmt.Printf("FAILED %s/%s %s %s: %v\n", s.name, q.name, q.method, q.path, err)
			continue
		}
		if r.verbose {
			fmt.Printf("%s/%s %s %d\n", s.name, q.name, q.method, expected.Status)
		}
		found := answer.Compare(expected, actual, known)
		if len(found) > 0 && r.reasons[s.name+"/"+q.name] == "" && changesNothing(q, expected, actual) {
			found = r.settle(q, s.name, before, actual, known, found)
		}
		r.judge(s, q, found)
		time.Sleep(q.pause)
	}
}

// sendBoth sends one request to both servers at the same time: watches take their time.
func (r *run) sendBoth(q *request, namespace string, before, after map[string]any) (*answer.Answer, *answer.Answer, error) {
	var group sync.WaitGroup
	var expected, actual *answer.Answer
	var expectedError, actualError error
	group.Go(func() { expected, expectedError = r.reference.send(q, namespace, before) })
	group.Go(func() { actual, actualError = r.candidate.send(q, namespace, after) })
	group.Wait()
	if expectedError != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.expected, expectedError)
	}
	if actualError != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.actual, actualError)
	}
	return expected, actual, nil
}

// settleTime bounds how long the reference is asked again.
const settleTime = 10 * time.Second

// settle asks the reference again, for as long as it has not answered as the candidate did: errors that it lists in the order of a Go map come in
// another order each time, and its caches catch up. It returns the differences that remain.
func (r *run) settle(q *request, namespace string, before map[string]any, actual *answer.Answer, known *answer.Names, found []answer.Difference) []answer.Difference {
	const most = 400 // of two fields of a small map, Go visits the second first once in eight times
	for start, i := time.Now(), 0; i < most && time.Since(start) < settleTime; i++ {
		again, err := r.reference.send(q, namespace, before)
		if err != nil {
			return found
		}
		if found := answer.Compare(again, actual, known); len(found) == 0 {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return found
}

// changesNothing says whether a request may be sent as often as one likes.
func changesNothing(q *request, expected, actual *answer.Answer) bool {
	return q.method == "GET" || expected.Status >= 400 && actual.Status >= 400
}

func (r *run) judge(s *script, q *request, found []answer.Difference) {
	name := s.name + "/" + q.name
	switch {
	case len(found) == 0:
		r.same++
		return
	case r.reasons[name] != "":
		r.excused++
		r.used[name] = true
		if r.options.argued {
			fmt.Printf("ARGUED %s: %s\n", name, r.reasons[name])
			r.print(q, found)
		}
		return
	}
	r.differing++
	fmt.Printf("DIFFERS %s\n", name)
	r.print(q, found)
}

// print prints a request and where its answers differ.
func (r *run) print(q *request, found []answer.Difference) {
	fmt.Printf("  %s %s\n", q.method, answer.Shorten(q.path))
	if q.body != "" {
		fmt.Printf("  body %s\n", answer.Shorten(q.body))
	}
	for i, difference := range found {
		if i == r.most {
			fmt.Printf("  and %d more\n", len(found)-i)
			break
		}
		fmt.Printf("  %s\n", difference)
	}
}

// readReasons reads the argued differences: a line is SCRIPT/REQUEST and the reason.
func readReasons() (map[string]string, error) {
	reasons := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(arguedDifferences))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if reason == "" {
			return nil, fmt.Errorf("no reason for %s", name)
		}
		reasons[name] = reason
	}
	return reasons, lines.Err()
}
