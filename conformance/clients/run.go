// Package clients runs other programs against an API server: with the Python client and @kubernetes/client-node, Prometheus' discovery, helm, and Volcano's installation.
package clients

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loadline/conformance/server"
)

type options struct {
	programs   server.Programs
	target     string
	only       string
	prometheus string
	helm       string
}

// client is one of them. Its error is of type missing if its program is not here.
type client struct {
	name string
	run  func(*options, *server.Server) error
}

var all = []client{
	{"python", runPython},
	{"node", runNode},
	{"prometheus", runPrometheus},
	{"helm", runHelm},
	{"volcano", runVolcano},
}

// missing is an error that says what would have to be installed.
type missing string

func (m missing) Error() string { return string(m) }

// Run runs all clients against one server and returns whether all passed; one whose program is not installed is skipped.
func Run(arguments []string) (bool, error) {
	o := &options{}
	flags := flag.NewFlagSet("clients", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.target, "server", "loadline", "which server answers: loadline, real, or the path of a kubeconfig")
	flags.StringVar(&o.only, "only", "python,node,prometheus,helm,volcano", "which clients to run")
	flags.StringVar(&o.prometheus, "prometheus", "build/conformance/prometheus", "Prometheus' discovery, built from conformance/prometheus")
	flags.StringVar(&o.helm, "helm", "build/conformance/helm", "helm's program, built from conformance/helm")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	started, err := server.Start(o.target, o.programs)
	if err != nil {
		return false, err
	}
	defer started.Stop()
	return o.runAll(started), started.Crashed()
}

func (o *options) runAll(started *server.Server) bool {
	good := true
	for _, c := range all {
		if !slices.Contains(strings.Split(o.only, ","), c.name) {
			continue
		}
		begin := time.Now()
		err := c.run(o, started)
		took := time.Since(begin).Seconds()
		if absent, is := err.(missing); is {
			fmt.Printf("clients: %s skipped, %s\n", c.name, absent)
		} else if err != nil {
			good = false
			fmt.Printf("clients: FAILED %s (%.1f s): %v\n", c.name, took, err)
		} else {
			fmt.Printf("clients: %s works (%.1f s)\n", c.name, took)
		}
	}
	return good
}

// scriptTime bounds one client.
const scriptTime = 2 * time.Minute

// runScript runs a program, whose output is ours.
func runScript(name string, arguments ...string) error {
	command := exec.Command(name, arguments...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return err
	}
	timer := time.AfterFunc(scriptTime, func() { command.Process.Kill() })
	defer timer.Stop()
	return command.Wait()
}

// debianPython is the interpreter that Debian's modules belong to; another may come first in the path.
const debianPython = "/usr/bin/python3"

func runPython(_ *options, started *server.Server) error {
	if exec.Command(debianPython, "-c", "import kubernetes").Run() != nil {
		return missing("it needs Debian's package python3-kubernetes")
	}
	return runScript(debianPython, "conformance/clients/python/client.py", started.Kubeconfig)
}

func runNode(_ *options, started *server.Server) error {
	const folder = "conformance/clients/node"
	if _, err := exec.LookPath("node"); err != nil {
		return missing("it needs node")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "@kubernetes", "client-node")); err != nil {
		return missing("it needs `npm ci` in " + folder)
	}
	return runScript("node", filepath.Join(folder, "client.mjs"), started.Kubeconfig)
}

func runPrometheus(o *options, started *server.Server) error {
	if _, err := os.Stat(o.prometheus); err != nil {
		return missing("it needs " + o.prometheus + ", built from conformance/prometheus")
	}
	return runScript(o.prometheus, started.Kubeconfig)
}
