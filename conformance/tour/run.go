package tour

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"loadline/conformance/server"
)

const (
	commandTime = 60 * time.Second       // how long a command may take before it is killed
	restTime    = 8 * time.Second        // how long the cluster may take until a question gets the answer of the document
	pause       = 250 * time.Millisecond // between two times that the same is asked
)

type options struct {
	programs server.Programs
	document string
	update   bool
	verbose  bool
}

// Run runs the commands of the document, and returns whether each printed what the document says.
func Run(arguments []string) (bool, error) {
	o := &options{}
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.document, "document", "docs/tour.md", "the document to run")
	flags.BoolVar(&o.update, "update", false, "write what is printed into the document")
	flags.BoolVar(&o.verbose, "v", false, "print every command with its time")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	text, err := os.ReadFile(o.document)
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(text), "\n")
	steps, err := parse(lines)
	if err != nil {
		return false, fmt.Errorf("%s: %w", o.document, err)
	}
	printed, good, err := o.walk(steps)
	if err != nil || !o.update {
		return good, err
	}
	return good, os.WriteFile(o.document, []byte(strings.Join(replace(lines, steps, printed), "\n")), 0o600)
}

// walk takes all steps, and returns what commands printed that was not what the document says.
func (o *options) walk(steps []*step) (printed map[*step][]string, good bool, err error) {
	printed = map[*step][]string{}
	begin := time.Now()
	commands := 0
	place, err := newWorkplace(o.programs)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, place.leave()) }()
	for _, s := range steps {
		options, starts := strings.CutPrefix(s.command, "loadline up ")
		switch {
		case starts:
			err = place.start(options)
		case s.file != "":
			err = place.write(s)
		case place.cluster == nil:
			err = errors.New("no cluster yet")
		default:
			commands++
			if output := o.take(place, s); output != nil {
				printed[s] = output
			}
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s:%d: %w", o.document, s.line, err)
		}
	}
	fmt.Printf("tour: %d commands in %.0f s, %d print something else\n", commands, time.Since(begin).Seconds(), len(printed))
	return printed, len(printed) == 0 || o.update, nil
}

// take runs a command, and returns what it printed unless that is what the document says.
func (o *options) take(place *workplace, s *step) []string {
	begin := time.Now()
	output := place.run(s.command)
	for reads(s.command) && time.Since(begin) < restTime && !alike(output, s.output) {
		time.Sleep(pause)
		again := place.run(s.command)
		settled := o.update && len(s.output) == 0 && alike(output, again) // New in the document: nothing to wait for.
		output = again
		if settled {
			break
		}
	}
	if o.verbose {
		fmt.Printf("%5.1f s  %s\n", time.Since(begin).Seconds(), s.command)
	}
	if alike(output, s.output) {
		return nil
	}
	if !o.update {
		fmt.Printf("DIFFERS %s:%d\n  $ %s\n%s", o.document, s.line, s.command, difference(normal(s.output), normal(output)))
	}
	return output
}

// difference shows the lines from the first to the last that differ.
func difference(expected, actual []string) string {
	for len(expected) > 0 && len(actual) > 0 && expected[0] == actual[0] {
		expected, actual = expected[1:], actual[1:]
	}
	for len(expected) > 0 && len(actual) > 0 && expected[len(expected)-1] == actual[len(actual)-1] {
		expected, actual = expected[:len(expected)-1], actual[:len(actual)-1]
	}
	var text strings.Builder
	for _, line := range expected {
		fmt.Fprintf(&text, "    document: %.300s\n", line)
	}
	for _, line := range actual {
		fmt.Fprintf(&text, "    printed:  %.300s\n", line)
	}
	return text.String()
}

// workplace is a folder in which commands run, with a kubectl, and the cluster that they speak to.
type workplace struct {
	using   server.Programs
	folder  string
	cluster *server.Server // nil before the first is started
}

func newWorkplace(using server.Programs) (*workplace, error) {
	folder, err := os.MkdirTemp("", "tour-")
	if err != nil {
		return nil, err
	}
	w := &workplace{using: using, folder: folder}
	kubernetes, err := filepath.Abs(using.Kubernetes)
	if err == nil {
		err = os.Mkdir(w.programs(), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(w.programs(), "kubectl"), fmt.Appendf(nil, "#!/bin/sh\nexec '%s' kubectl \"$@\"\n", kubernetes), 0o700)
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return w, nil
}

func (w *workplace) programs() string { return filepath.Join(w.folder, "bin") }

// start ends the cluster, if there is one, and starts another with the options that the document has behind `loadline up`.
func (w *workplace) start(options string) error {
	if err := w.stop(); err != nil {
		return err
	}
	cluster, err := server.StartCluster(w.using, strings.Fields(strings.Replace(options, "--in-memory", "", 1))...)
	w.cluster = cluster
	return err
}

// stop ends the cluster, and says if it had ended by itself.
func (w *workplace) stop() error {
	if w.cluster == nil {
		return nil
	}
	defer w.cluster.Stop()
	return w.cluster.Crashed()
}

func (w *workplace) leave() error {
	defer os.RemoveAll(w.folder)
	return w.stop()
}

func (w *workplace) write(s *step) error {
	return os.WriteFile(filepath.Join(w.folder, s.file), []byte(strings.Join(s.output, "\n")+"\n"), 0o600)
}

// run returns the lines that a command prints, errors among them as in a terminal.
func (w *workplace) run(command string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	call := exec.CommandContext(ctx, "bash", "-c", command)
	call.Dir = w.folder
	call.Env = []string{"PATH=" + w.programs() + ":" + os.Getenv("PATH"), "HOME=" + w.folder, "TMPDIR=" + w.folder, "KUBECONFIG=" + w.cluster.Kubeconfig}
	call.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	call.WaitDelay = time.Second
	var output bytes.Buffer
	call.Stdout, call.Stderr = &output, &output
	err := call.Run()
	text := strings.TrimRight(output.String(), "\n")
	if ctx.Err() != nil {
		text += fmt.Sprintf("\nkilled after %s", commandTime)
	} else if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		text += "\n" + err.Error()
	}
	if text == "" {
		return []string{}
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ") // kubectl fills up its columns.
	}
	return lines
}
