// Package server starts Kubernetes API servers for tests: the real kube-apiserver on etcd, or Loadline's, alone or with the real controllers.
//
// A server listens on loopback, keeps what it stores in a temporary folder, and is gone with that folder after Stop. A program that is killed takes
// its servers with it.
package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Programs says where the programs are that are started.
type Programs struct {
	Kubernetes string // kube-apiserver, kube-controller-manager, kube-scheduler and kubectl in one
	Etcd       string // empty: the one in Kubernetes
	Loadline   string
}

// Register makes the flags that name the programs. Defaults are relative to the repository's root.
func (p *Programs) Register(flags *flag.FlagSet) {
	flags.StringVar(&p.Kubernetes, "kubernetes", "build/conformance/kubernetes", "the program built from conformance/kubernetes")
	flags.StringVar(&p.Etcd, "etcd", "", "etcd's program, for the real API server, in place of the one built from conformance/kubernetes")
	flags.StringVar(&p.Loadline, "loadline", "build/release/loadline", "Loadline's program")
}

// Server is an API server that answers.
type Server struct {
	Name       string
	URL        string
	Token      string // of a user in system:masters
	Kubeconfig string // the path of a file that leads to this server
	Folder     string // a folder for what belongs to this run; removed by Stop

	programs  Programs
	config    *rest.Config
	processes []*process // in order of start
}

// startTime bounds how long a server may take until it is ready.
const startTime = 90 * time.Second

// Start starts what specification names and waits until it is ready: "real", "loadline", or the path of a kubeconfig, which starts nothing.
func Start(specification string, programs Programs) (*Server, error) {
	return started(specification, programs, func(s *Server) error { return s.start(specification) })
}

func started(name string, programs Programs, start func(*Server) error) (*Server, error) {
	folder, err := os.MkdirTemp(memoryFolder(), "conformance-")
	if err != nil {
		return nil, err
	}
	s := &Server{Name: name, Folder: folder, programs: programs}
	if err := start(s); err != nil {
		s.Stop()
		return nil, fmt.Errorf("starting %q: %w", name, err)
	}
	return s, nil
}

// memoryFolder is where files need no disk, if there is such a place: etcd waits for each write.
func memoryFolder() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}

// bareLoadline is Loadline's server without what a kube-controller-manager would do.
const bareLoadline = "loadline-bare"

// The real server runs without this plugin: see launchAPIServer.
const likeTheRealOne = "--disable-admission-plugins=ServiceAccount"

// operatingLoadline is one whose controllers and operators work, with a scheduler and kubelets from outside.
const operatingLoadline = "loadline-operating"

// WithOperators turns the name of Loadline's server into that of one with its built-in operators.
func WithOperators(specification string) string {
	if specification == "loadline" {
		return operatingLoadline
	}
	return specification
}

// WithoutControllers turns the name of Loadline's server into that of one that is as alone as the real kube-apiserver is.
func WithoutControllers(specification string) string {
	if specification == "loadline" {
		return bareLoadline
	}
	return specification
}

func (s *Server) start(specification string) error {
	switch specification {
	case "real":
		return s.startReal()
	case "loadline":
		return s.startLoadline("--api-only", likeTheRealOne)
	case operatingLoadline:
		return s.startLoadline("--without-scheduler", "--without-kubelets", likeTheRealOne)
	case bareLoadline:
		return s.startLoadline("--api-only", "--without-builtin-controllers", likeTheRealOne)
	}
	return s.attach(specification)
}

// attach takes a server that runs already.
func (s *Server) attach(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // A test waits for the server, not for itself.
	s.Kubeconfig, s.config, s.URL, s.Token = kubeconfig, config, config.Host, config.BearerToken
	return s.waitUntilReady()
}

// Config returns a copy of the administrator's configuration.
func (s *Server) Config() *rest.Config { return rest.CopyConfig(s.config) }

// Anonymous returns a configuration without credentials.
func (s *Server) Anonymous() *rest.Config { return rest.AnonymousClientConfig(s.config) }

// Stop ends what was started, the last first, and removes what it stored.
func (s *Server) Stop() {
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].stop()
	}
	s.processes = nil
	os.RemoveAll(s.Folder)
}

// Crashed returns an error that names a process that ended by itself, with the end of what it said.
func (s *Server) Crashed() error {
	for _, process := range s.processes {
		if process.ended() {
			return fmt.Errorf("%s ended: %s", process.name, process.lastWords())
		}
	}
	return nil
}

// Log returns all that a process of this server said: "etcd", "kube-apiserver", "loadline", "kube-controller-manager", "kube-scheduler".
func (s *Server) Log(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.Folder, name+".log"))
	return string(text)
}

func (s *Server) waitUntilReady() error {
	client, err := rest.HTTPClientFor(s.config)
	if err != nil {
		return err
	}
	return poll(startTime, 10*time.Millisecond, func() error {
		if err := s.Crashed(); err != nil {
			return errors.Join(errFinal, err)
		}
		return expectOK(client, s.URL+"/readyz")
	})
}

func expectOK(client *http.Client, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, answer.Status, body)
	}
	return nil
}

// errFinal marks an error that no further try would mend.
var errFinal = errors.New("gave up")

// poll tries until it works, the time is over, or an error is final; it returns the last error.
func poll(limit, pause time.Duration, try func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		err := try()
		if err == nil || errors.Is(err, errFinal) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", limit, err)
		case <-time.After(pause):
		}
	}
}
