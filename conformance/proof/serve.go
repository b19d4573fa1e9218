package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"loadline/conformance/server"
)

// serve starts a server for trying things out, and keeps it until it is interrupted, or for as long as a command runs with KUBECONFIG set.
func serve(arguments []string) (bool, error) {
	var programs server.Programs
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	programs.Register(flags)
	target := flags.String("server", "real", "which server to start: real or loadline")
	controllers := flags.Bool("controllers", false, "start the real kube-controller-manager and kube-scheduler, too")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	started, err := server.Start(*target, programs)
	if err != nil {
		return false, err
	}
	defer started.Stop()
	if *controllers {
		if err := started.StartControllerManager(); err != nil {
			return false, err
		}
		if err := started.StartScheduler(); err != nil {
			return false, err
		}
	}
	if flags.NArg() > 0 {
		return runWith(started, flags.Args()), nil
	}
	fmt.Printf("export KUBECONFIG=%s\n", started.Kubeconfig)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	<-interrupted
	return true, nil
}

func runWith(started *server.Server, words []string) bool {
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), "KUBECONFIG="+started.Kubeconfig)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run() == nil
}
