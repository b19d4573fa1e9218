package kubectl

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

//go:embed manifests/m
var manifests embed.FS

// editor is what stands for the user's in `kubectl edit`.
const editor = "#!/bin/sh\nexec sed -i 's/^  replicas: .*/  replicas: 5/' \"$1\"\n"

// workplace is a folder with the manifests, in which one version of kubectl runs.
type workplace struct {
	folder  string
	program []string // with leading arguments
	config  string   // kubeconfig
}

func newWorkplace(folder string, program []string, kubeconfig string) (*workplace, error) {
	files, err := fs.Sub(manifests, "manifests")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, files); err != nil {
		return nil, err
	}
	config, err := filepath.Abs(kubeconfig)
	if err != nil {
		return nil, err
	}
	return &workplace{folder, program, config}, os.WriteFile(filepath.Join(folder, "editor"), []byte(editor), 0o700)
}

// result is what came of a call.
type result struct {
	exit           string
	output, errors string
	took           time.Duration
}

func (w *workplace) run(arguments []string, limit time.Duration) result {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	call := exec.CommandContext(ctx, w.program[0], append(w.program[1:len(w.program):len(w.program)], arguments...)...)
	call.Dir = w.folder
	call.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.folder, "TMPDIR=" + w.folder, "KUBECONFIG=" + w.config, "KUBE_EDITOR=" + filepath.Join(w.folder, "editor")}
	call.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	call.WaitDelay = time.Second
	var output, complaints bytes.Buffer
	call.Stdout, call.Stderr = &output, &complaints
	begin := time.Now()
	err := call.Run()
	return result{exitOf(ctx, err), output.String(), complaints.String(), time.Since(begin)}
}

func exitOf(ctx context.Context, err error) string {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "killed"
	case err == nil:
		return "0"
	case errors.As(err, &exit):
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
