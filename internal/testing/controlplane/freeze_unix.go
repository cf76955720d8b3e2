//go:build unix

package controlplane

import (
	"fmt"
	"syscall"
)

// FreezeAPIServer stops the API server as a machine does that hangs: connections stay open, new ones are taken,
// and nobody answers. ThawAPIServer has it go on.
func (p *Plane) FreezeAPIServer() error { return p.signalAPIServer("freeze", syscall.SIGSTOP) }

// ThawAPIServer has a frozen API server go on.
func (p *Plane) ThawAPIServer() error { return p.signalAPIServer("thaw", syscall.SIGCONT) }

func (p *Plane) signalAPIServer(what string, signal syscall.Signal) error {
	if err := p.apiServer.os.Signal(signal); err != nil {
		return fmt.Errorf("%s the API server: %w", what, err)
	}
	return nil
}
