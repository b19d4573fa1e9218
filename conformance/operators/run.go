package operators

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"loadline/conformance/server"
)

// options of the command.
type options struct {
	programs  server.Programs
	target    string
	folder    string // of the operators' programs
	record    bool
	prune     bool
	cases     int
	firstSeed int64
	runs      int // of a case, to record it
	together  int // cases at a time
	shown     int
	argued    string
	logs      string
}

// Run asks a server, or records what the real one answers, and returns whether nothing differs.
func Run(arguments []string) (bool, error) {
	var o options
	flags := flag.NewFlagSet("operators", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.target, "server", "loadline", "which server answers: loadline, or real, with the operator on it")
	flags.StringVar(&o.folder, "operators", "build/conformance/operators", "the folder of the programs built from conformance/operators/*")
	flags.BoolVar(&o.record, "record", false, "let the real operators work several times, and record where all runs agree")
	flags.IntVar(&o.cases, "cases", 0, "how many cases of each kind: to check, the first of the recording (0: all); to record, 340")
	flags.Int64Var(&o.firstSeed, "first-seed", 1, "the first seed to generate a case from")
	flags.IntVar(&o.runs, "runs", 3, "how many runs must agree, to record a case")
	flags.BoolVar(&o.prune, "prune", false, "with --server real: what differs is chance; leave it out of the recording")
	flags.IntVar(&o.together, "together", 350, "how many cases play at the same time")
	flags.IntVar(&o.shown, "shown", 20, "how many differences of a kind are printed")
	flags.StringVar(&o.argued, "differences", "conformance/operators/differences.txt", "what may differ, and why")
	flags.StringVar(&o.logs, "logs", "", "a folder to copy the operators' logs to")
	names := flags.String("kind", "all", "kinds or operators, separated by commas")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	chosen, err := namedKinds(*names)
	if err != nil {
		return false, err
	}
	if o.record {
		return true, o.recordAll(chosen)
	}
	return o.checkAll(chosen)
}

// defaultCases is how many are generated to record, so that 300 are left.
const defaultCases = 340

func (o *options) recordAll(chosen []kind) error {
	if o.cases == 0 {
		o.cases = defaultCases
	}
	for _, k := range chosen {
		cases := make([]Case, o.cases)
		for i := range cases {
			cases[i] = *k.generate(o.firstSeed + int64(i))
		}
		begin := time.Now()
		kept, err := o.several(k, cases)
		if err != nil {
			return err
		}
		path := recordingOf(k.name)
		if err := save(path, kept); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		refused := 0
		for _, outcome := range kept {
			if outcome.Refused != "" {
				refused++
			}
		}
		fmt.Printf("operators: %s: %d of %d cases recorded, %d of them refused; %d bytes, in %.0f s\n", k.name, len(kept), o.cases, refused, info.Size(),
			time.Since(begin).Seconds())
	}
	return nil
}

// several are the outcomes that are the same in several runs.
func (o *options) several(k kind, cases []Case) ([]*Outcome, error) {
	kept, err := o.play("real", k, cases)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.name, err)
	}
	for run := 2; run <= o.runs; run++ {
		cases = cases[:0]
		for _, outcome := range kept {
			cases = append(cases, outcome.Case) // with the pods that steps meant
		}
		again, err := o.play("real", k, cases)
		if err != nil {
			return nil, fmt.Errorf("%s, run %d: %w", k.name, run, err)
		}
		kept = agreeing(k, kept, again)
	}
	return slices.DeleteFunc(kept, func(outcome *Outcome) bool { return outcome.Restless }), nil
}

// agreeing are the outcomes that are the same in another run: what else happens is chance.
func agreeing(k kind, outcomes, again []*Outcome) []*Outcome {
	var kept []*Outcome
	for i, outcome := range outcomes {
		if outcome.Restless || again[i].Restless {
			fmt.Printf("operators: %s: case %d is left out: it never becomes quiet\n", k.name, outcome.Seed)
		} else if found := outcome.agree(again[i]); len(found) > 0 {
			fmt.Printf("operators: %s: case %d is left out: two runs differ: %s\n", k.name, outcome.Seed, found[0])
		} else {
			kept = append(kept, outcome)
		}
	}
	return kept
}

func (o *options) checkAll(chosen []kind) (bool, error) {
	argued, err := readArguments(o.argued)
	if err != nil {
		return false, err
	}
	good := true
	for _, k := range chosen {
		expected, err := load(recordingOf(k.name))
		if err != nil {
			return false, err
		}
		if o.cases > 0 && o.cases < len(expected) {
			expected = expected[:o.cases]
		}
		cases := make([]Case, len(expected))
		for i := range expected {
			cases[i] = expected[i].Case
		}
		actual, err := o.play(o.target, k, cases)
		if err != nil {
			return false, fmt.Errorf("%s: %w", k.name, err)
		}
		judged := judge(k, expected, actual, argued)
		if o.target != "real" {
			if err := o.playAgain(k, expected, judged, argued); err != nil {
				return false, fmt.Errorf("%s: %w", k.name, err)
			}
		}
		good = judged.print(k, o.shown) && good
		if o.prune && o.target == "real" {
			kept := agreeing(k, expected, actual)
			if err := save(recordingOf(k.name), kept); err != nil {
				return false, err
			}
			fmt.Printf("operators: %s: %d cases are left in the recording\n", k.name, len(kept))
		}
	}
	return good, nil
}

// play plays cases of a kind on a server of their own, some at a time.
func (o *options) play(target string, k kind, cases []Case) (outcomes []*Outcome, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	klog.SetLogger(logr.Discard()) // informers end with their server, and complain
	s, err := newStage(ctx, target, o.programs, o.folder, k.operator)
	if err != nil {
		return nil, err
	}
	defer s.server.Stop()
	defer func() {
		if o.logs != "" {
			_ = os.MkdirAll(o.logs, 0o755)
			for _, name := range []string{k.operator.name, "kube-controller-manager", "kube-apiserver", "loadline"} {
				if text := s.server.Log(name); text != "" {
					_ = os.WriteFile(filepath.Join(o.logs, name+".log"), []byte(text), 0o644)
				}
			}
		}
	}()
	for some := range slices.Chunk(cases, o.together) {
		played, err := s.playAll(ctx, k, some)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, played...)
	}
	return outcomes, nil
}
