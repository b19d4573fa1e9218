package server

import (
	"fmt"
	"os"
	"time"
)

const waitForFile = 10 * time.Millisecond

// StartCluster starts Loadline's cluster, with controllers, scheduler and virtual nodes, and waits until it is ready.
func StartCluster(programs Programs, options ...string) (*Server, error) {
	return started("loadline up", programs, func(s *Server) error { return s.startLoadline(options...) })
}

// startLoadline starts Loadline with everything in memory.
func (s *Server) startLoadline(more ...string) error {
	kubeconfig := s.path("kubeconfig")
	arguments := append([]string{"up", "--in-memory", "--port", "0", "--kubeconfig", kubeconfig}, more...)
	if err := s.launch("loadline", s.programs.Loadline, arguments...); err != nil {
		return err
	}
	if err := poll(startTime, waitForFile, func() error {
		if crashed := s.Crashed(); crashed != nil {
			return fmt.Errorf("%w: %w", errFinal, crashed)
		}
		info, err := os.Stat(kubeconfig)
		if err == nil && info.Size() == 0 {
			return fmt.Errorf("%s is empty", kubeconfig)
		}
		return err
	}); err != nil {
		return err
	}
	return s.attach(kubeconfig)
}

// StartControllerManager starts the real kube-controller-manager against this server, with credentials for its service accounts if the real server made them.
// More options may leave controllers out.
func (s *Server) StartControllerManager(more ...string) error {
	arguments := []string{"kube-controller-manager", "--kubeconfig=" + s.Kubeconfig, "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0", "--v=1"}
	if _, err := os.Stat(s.path("service-accounts.key")); err == nil {
		arguments = append(arguments, "--service-account-private-key-file="+s.path("service-accounts.key"))
	}
	return s.launch("kube-controller-manager", s.programs.Kubernetes, append(arguments, more...)...)
}

// StartScheduler starts the real kube-scheduler against this server.
func (s *Server) StartScheduler() error {
	return s.launch("kube-scheduler", s.programs.Kubernetes, "kube-scheduler", "--kubeconfig="+s.Kubeconfig, "--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port=0", "--v=1")
}

// StartOperator starts a program that works against this server and ends with it.
func (s *Server) StartOperator(name, program string, arguments ...string) error {
	return s.launch(name, program, append([]string{"--kubeconfig=" + s.Kubeconfig}, arguments...)...)
}

// Programs returns the programs this server was started with.
func (s *Server) Programs() Programs { return s.programs }
