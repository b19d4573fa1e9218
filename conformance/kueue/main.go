// Program compare-kueue lets the real Kueue and ours decide about random scenarios, and tells where they differ.
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loadline/conformance/kueue/compare"
	"loadline/conformance/kueue/generate"
	"loadline/conformance/kueue/oracle"
	"loadline/conformance/kueue/ours"
	"loadline/conformance/kueue/scenario"
	"loadline/conformance/kueue/shrink"
)

var (
	program   = flag.String("loadline", "build/release/loadline-kueue-decisions", "what answers for us")
	seeds     = flag.Int64("seeds", 100, "so many of each kind")
	first     = flag.Int64("first-seed", 1, "")
	kinds     = flag.String("kinds", strings.Join(generate.Kinds, ","), "")
	limit     = flag.Duration("time-limit", 0, "0: none")
	runs      = flag.Int("runs", 500, "of the real one, where ours differs: it may hang on the order of a map")
	shrinks   = flag.Int("shrink", 5, "so many of the scenarios that differ are made smaller")
	out       = flag.String("out", "build/conformance/kueue", "where those are written")
	verbosity = flag.Int("log", 0, "of Kueue's own log; 0: none")
	recording = flag.String("record", "", "write the traces that agree to this file, a line each")
)

func main() {
	flag.Parse()
	if *verbosity > 0 {
		oracle.Log(*verbosity)
	}
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 2
	}
	os.Exit(status)
}

// runsOfSmaller: as many candidates as shrinking has are asked less often, and only the last one in earnest.
const runsOfSmaller = 30

type session struct {
	child *ours.Child
	tally tally
	file  io.Writer
}

func run() (int, error) {
	child, err := ours.Start(*program)
	if err != nil {
		return 2, err
	}
	s := &session{child: child, tally: tally{kinds: map[string]*counts{}, reached: map[string]int{}, leftOut: map[string]int{}}}
	defer func() { s.child.Close() }()
	if *recording != "" {
		file, err := os.Create(*recording)
		if err != nil {
			return 2, err
		}
		defer file.Close()
		s.file = file
		if strings.HasSuffix(*recording, ".gz") {
			packed, _ := gzip.NewWriterLevel(file, gzip.BestCompression)
			defer packed.Close()
			s.file = packed
		}
	}
	if flag.NArg() > 0 {
		return s.files(flag.Args())
	}
	end := time.Now().Add(*limit)
	told := time.Now()
	for seed := *first; seed < *first+*seeds && (*limit == 0 || time.Now().Before(end)); seed++ {
		for _, kind := range strings.Split(*kinds, ",") {
			if err := s.one(generate.Scenario(kind, seed)); err != nil {
				return 2, err
			}
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "up to seed %d: %d differ\n", seed, s.tally.differ)
		}
	}
	return s.tally.print(), nil
}

// files compares scenarios that were written before.
func (s *session) files(paths []string) (int, error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 2, err
		}
		it := &scenario.Scenario{}
		if err := json.Unmarshal(text, it); err != nil {
			return 2, fmt.Errorf("%s: %w", path, err)
		}
		if err := s.one(it); err != nil {
			return 2, err
		}
	}
	return s.tally.print(), nil
}

func (s *session) one(it *scenario.Scenario) error {
	verdict, err := compare.Scenario(s.child, it, *runs)
	if why := oracle.LeftOut(""); errors.As(err, &why) {
		s.tally.leftOut[string(why)]++
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", it.Name, err)
	}
	s.tally.add(it.Kind, verdict)
	if verdict.Answer.Agrees() {
		return s.record(verdict.Trace)
	}
	differs := s.tally.differ
	small := it
	if differs <= *shrinks && verdict.Answer.Error == "" {
		what := kindsOf(verdict.Answer)
		small = shrink.Scenario(it, func(candidate *scenario.Scenario) bool {
			again, err := compare.Scenario(s.child, candidate, min(*runs, runsOfSmaller))
			return err == nil && !again.Answer.Agrees() && kindsOf(again.Answer) == what
		})
		if again, err := compare.Scenario(s.child, small, *runs); err == nil && !again.Answer.Agrees() {
			verdict = again
		}
	}
	return write(small, verdict)
}

// kindsOf names what differs, without names of objects.
func kindsOf(answer *ours.Answer) string {
	if answer.Error != "" {
		return "error"
	}
	first, _, _ := strings.Cut(answer.Differences[0].What, " ")
	return first
}

func (s *session) record(trace *oracle.Trace) error {
	if s.file == nil {
		return nil
	}
	text, err := json.Marshal(trace)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}

// write keeps the scenario, and its trace, and tells what differs.
func write(it *scenario.Scenario, verdict *compare.Verdict) error {
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(*out, it.Name+".json")
	for name, content := range map[string]any{path: it, strings.TrimSuffix(path, ".json") + ".trace": verdict.Trace} {
		text, err := json.MarshalIndent(content, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("\n%s differs (%s), at step %d of its trace:\n", it.Name, path, verdict.Answer.Step)
	if verdict.Answer.Error != "" {
		fmt.Println("  error:", verdict.Answer.Error)
	}
	for _, it := range verdict.Answer.Differences {
		fmt.Printf("  %s\n    real: %s\n    ours: %s\n", it.What, indented(it.Expected), indented(it.Actual))
	}
	return nil
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n          ") }
