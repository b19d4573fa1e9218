package kubectl

import (
	"bufio"
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"loadline/conformance/server"
)

//go:embed differences.txt
var arguedDifferences []byte

// commandTime is how long a command may take before it is killed, as it was in the recordings.
const commandTime = 15 * time.Second

// version is a kubectl, and what the server was like when its commands were recorded: the three lists ran on one server, one after another.
type version struct {
	name        string
	controllers bool       // kube-controller-manager ran
	before      [][]string // commands whose effects were there already
}

var left = [][]string{
	{"label", "node", "node-0", "x=z"},
	{"apply", "-k", "m/kust"},
	{"expose", "deploy", "k-web", "--name=web", "--port=80"},
	{"autoscale", "deploy", "k-web", "--name=web", "--max=5"},
	{"cordon", "node-1"},
}

var versions = []version{
	{name: "1.32", before: [][]string{{"create", "-f", "m/crd.yaml"}}},
	{name: "1.36", controllers: true, before: left},
	{name: "1.20", controllers: true, before: slices.Concat(left, [][]string{{"annotate", "pod", "pod-0", "k=v"}})},
}

type options struct {
	programs server.Programs
	target   string
	versions string
	kubectl  map[string]*string
	verbose  bool
}

func parseOptions(arguments []string) (*options, error) {
	o := &options{kubectl: map[string]*string{}}
	flags := flag.NewFlagSet("kubectl", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.target, "server", "loadline", "which server answers: loadline or real")
	flags.StringVar(&o.versions, "versions", "1.20,1.32,1.36", "versions of kubectl to run, at the same time, each with its own server")
	flags.BoolVar(&o.verbose, "v", false, "print every command with its time")
	o.kubectl["1.20"] = flags.String("kubectl-1.20", "build/conformance/kubectl-1.20/usr/bin/kubectl", "kubectl 1.20")
	o.kubectl["1.32"] = flags.String("kubectl-1.32", "build/conformance/kubectl-1.32/usr/bin/kubectl", "kubectl 1.32")
	o.kubectl["1.36"] = flags.String("kubectl-1.36", "", "kubectl 1.36, in place of the one built from conformance/kubernetes")
	return o, flags.Parse(arguments)
}

// program is how a version of kubectl is called.
func (o *options) program(name string) ([]string, error) {
	program := []string{*o.kubectl[name]}
	if program[0] == "" {
		program = []string{o.programs.Kubernetes, "kubectl"}
	}
	path, err := filepath.Abs(program[0])
	if err != nil {
		return nil, err
	}
	program[0] = path
	_, err = os.Stat(path)
	return program, err
}

// count of commands by outcome.
type count struct{ passed, argued, failed, stale int }

// Run runs the commands of all versions and returns whether each ended as recorded, or differs for a reason that is written down.
func Run(arguments []string) (bool, error) {
	o, err := parseOptions(arguments)
	if err != nil {
		return false, err
	}
	reasons, err := readReasons(o.target)
	if err != nil {
		return false, err
	}
	var group sync.WaitGroup
	good := true
	var mutex sync.Mutex
	for _, v := range versions {
		if !slices.Contains(strings.Split(o.versions, ","), v.name) {
			continue
		}
		group.Go(func() {
			var report strings.Builder
			ok, err := o.runVersion(&v, reasons, &report)
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				fmt.Fprintf(&report, "kubectl %s: %v\n", v.name, err)
			}
			good = good && ok && err == nil
			fmt.Print(report.String())
		})
	}
	group.Wait()
	return good, nil
}

func (o *options) runVersion(v *version, reasons map[string]string, report *strings.Builder) (bool, error) {
	program, err := o.program(v.name)
	if err != nil {
		fmt.Fprintf(report, "kubectl %s: skipped, %v\n", v.name, err)
		return true, nil
	}
	commands, err := readTranscript(v.name)
	if err != nil {
		return false, err
	}
	target, err := server.Start(server.WithoutControllers(o.target), o.programs)
	if err != nil {
		return false, err
	}
	defer target.Stop()
	place, err := o.prepare(v, program, target)
	if err != nil {
		return false, err
	}
	var c count
	for _, command := range commands {
		o.judge(v, command, place.run(command.arguments, commandTime), reasons, &c, report)
	}
	fmt.Fprintf(report, "kubectl %s: %d commands as recorded, %d differ as argued, %d differ, %d reasons are stale\n", v.name, c.passed, c.argued, c.failed, c.stale)
	return c.failed+c.stale == 0, target.Crashed()
}

// prepare brings the server into the state in which the commands were recorded.
func (o *options) prepare(v *version, program []string, target *server.Server) (*workplace, error) {
	if v.controllers {
		if err := target.StartControllerManager(); err != nil {
			return nil, err
		}
	}
	if err := seed(target); err != nil {
		return nil, err
	}
	place, err := newWorkplace(filepath.Join(target.Folder, "kubectl"), program, target.Kubeconfig)
	if err != nil {
		return nil, err
	}
	for _, arguments := range v.before {
		if made := place.run(arguments, commandTime); made.exit != "0" {
			fmt.Printf("kubectl %s: beforehand: %s: exit %s: %s\n", v.name, strings.Join(arguments, " "), made.exit, made.errors)
		}
	}
	return place, nil
}

func (o *options) judge(v *version, c *command, actual result, reasons map[string]string, counts *count, report *strings.Builder) {
	if o.verbose {
		fmt.Printf("kubectl %s %-18s exit %s, %.1f s\n", v.name, c.name, actual.exit, actual.took.Seconds())
	}
	difference := c.difference(&actual)
	reason, argued := reasons[v.name+" "+c.name]
	switch {
	case difference == "" && argued:
		counts.stale++
		fmt.Fprintf(report, "STALE kubectl %s %s ends as recorded, but is argued to differ: %s\n", v.name, c.name, reason)
	case difference == "":
		counts.passed++
	case argued:
		counts.argued++
	default:
		counts.failed++
		fmt.Fprintf(report, "DIFFERS kubectl %s %s: %s\n  $ kubectl %s\n%s", v.name, c.name, difference, strings.Join(c.arguments, " "), indent(actual.output+actual.errors))
	}
}

// difference says how a call differs from the recorded one: "" if it does not.
func (c *command) difference(actual *result) string {
	if actual.exit != c.exit {
		return fmt.Sprintf("exit %s, recorded %s", actual.exit, c.exit)
	}
	lines := strings.Split(strings.TrimRight(actual.output, "\n"), "\n")
	if len(c.output) > 0 && !slices.Equal(lines, c.output) {
		return fmt.Sprintf("printed %q, recorded %q", lines, c.output)
	}
	return ""
}

func indent(text string) string {
	var indented strings.Builder
	for number, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		const most = 12
		if number == most {
			break
		}
		fmt.Fprintf(&indented, "    %.300s\n", line)
	}
	return indented.String()
}

// readReasons reads the argued differences of a server: a line is the server, the version, the command's name, and the reason.
func readReasons(target string) (map[string]string, error) {
	reasons := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(arguedDifferences))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " ", 4)
		if len(parts) < 4 {
			return nil, fmt.Errorf("differences: no reason in %q", line)
		}
		if parts[0] == target {
			reasons[parts[1]+" "+parts[2]] = parts[3]
		}
	}
	return reasons, lines.Err()
}
