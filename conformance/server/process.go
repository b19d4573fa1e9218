package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is a program in the background, whose output goes to a file.
type process struct {
	name    string
	log     string
	command *exec.Cmd
	end     chan struct{} // closed when it has ended
}

// stopTime is how long Loadline may take to end when it is asked to.
const stopTime = 10 * time.Second

// launch starts a program in the background; its output goes to NAME.log in the server's folder.
func (s *Server) launch(name, program string, arguments ...string) error {
	log, err := os.Create(filepath.Join(s.Folder, name+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return err
	}
	p := &process{name: name, log: log.Name(), command: command, end: make(chan struct{})}
	go func() {
		command.Wait()
		close(p.end)
	}()
	s.processes = append(s.processes, p)
	return nil
}

func (p *process) ended() bool {
	select {
	case <-p.end:
		return true
	default:
		return false
	}
}

// stop ends a process. Loadline is asked to end, and must; the real programs take long for it and leave nothing that is wanted.
func (p *process) stop() {
	if p.name != "loadline" {
		p.command.Process.Kill()
		<-p.end
		return
	}
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.end:
	case <-time.After(stopTime):
		p.command.Process.Kill()
		<-p.end
	}
}

// lastWords is the end of what the process said.
func (p *process) lastWords() string {
	text, _ := os.ReadFile(p.log)
	const enough = 1500
	if len(text) > enough {
		text = text[len(text)-enough:]
	}
	return string(text)
}
