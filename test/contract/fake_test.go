package contract

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/apifake"
)

// fake is the server that is compared with the real one.
type fake struct{ *apifake.Server }

func (f fake) put(_ context.Context, o *object) (string, error) {
	return strconv.FormatInt(f.Put(o), 10), nil
}

func (f fake) remove(_ context.Context, name string) (string, error) {
	return strconv.FormatInt(f.Delete("", name), 10), nil
}

func (f fake) others(_ context.Context, writes int) error {
	f.Skip(int64(writes))
	return nil
}

func (f fake) list(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return f.List(ctx, o)
}

func (f fake) watch(ctx context.Context, o metav1.ListOptions) (stream, error) {
	return f.Watch(ctx, o)
}

// playFake plays a script on the fake. It returns the player, which has the transcript.
func playFake(t *testing.T, s script) (p *player) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := fake{apifake.New(apifake.Options{Version: 100})}
		p = &player{t: t, on: f}
		var kept *apifake.Backup
		var keptAt int64
		acts, events := s.acts()
		for i, act := range acts {
			p.playAll(t.Context(), act)
			if i == len(events) {
				break
			}
			f.Skip(few)
			switch events[i] {
			case restart:
				f.Restart()
			case compact:
				f.Compact()
			case backup:
				kept, keptAt = f.Backup(), f.Version()
			case restore:
				f.Restore(kept)
				f.Restart()
			case restoreBelow:
				f.Restore(kept)
			}
			p.writes.after(events[i], keptAt)
			p.say("%s", events[i])
		}
	})
	return p
}
