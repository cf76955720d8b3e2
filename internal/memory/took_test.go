package memory

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// lateLedger has a worker take a request at the worst moment: when a save has taken the place of the one before,
// and the ledger does not know it yet.
type lateLedger struct {
	Ledger
	take func()
}

func (l *lateLedger) Saved() {
	l.take()
	l.Ledger.Saved()
}

// TestTakenWhileASaveCounts takes a request between the moment at which a save begins to count and the moment at which the ledger
// learns of it. The next process must not believe that it was dealt with.
func TestTakenWhileASaveCounts(t *testing.T) {
	at := newPlace(t)
	first := at.start(t, three())
	first.save() // nothing has succeeded
	first.succeed(abc...)
	first.memory.ledgers[controller] = &lateLedger{Ledger: first.clerk, take: func() { first.clerk.Take(request("b")) }}
	first.save()
	first.kill()
	if got := at.start(t, nil).complete("b"); len(got) > 0 {
		t.Error("the next process knows everything of a request that was taken and not dealt with")
	}
}

// TestTakenAfterTheEnd has a worker that does not end when its manager does. It goes on with a request, and takes another one.
func TestTakenAfterTheEnd(t *testing.T) {
	at := newPlace(t)
	first := at.start(t, three())
	first.succeed(abc...)
	first.clerk.Take(request("a"))
	first.finish()
	first.clerk.Settle(request("a"), ledger.Failed)
	first.clerk.Take(request("b"))
	second := at.start(t, nil)
	if got := second.complete(abc...); len(got) != 1 || got[0] != "c" {
		t.Errorf("the next process knows everything of %v, and not of c alone", got)
	}
}

// TestTwoControllersOfOneName are not saved, because the next process could not tell which is which.
func TestTwoControllersOfOneName(t *testing.T) {
	at := newPlace(t)
	first := at.start(t, three())
	first.succeed(abc...)
	first.finish()
	second := at.start(t, nil)
	second.memory.AddLedger(controller, first.clerk)
	if got := second.complete(abc...); len(got) > 0 {
		t.Errorf("the second process knows everything of %v", got)
	}
	second.finish()
	if got := at.start(t, nil).complete(abc...); len(got) > 0 {
		t.Errorf("the third process knows everything of %v", got)
	}
}

// TestANewObjectOfAnOldName is about a request that was not dealt with, and whose object comes into being while nobody runs. It is
// not as one that cannot have missed anything.
func TestANewObjectOfAnOldName(t *testing.T) {
	for _, name := range []string{"taken before the save", "taken after it", "never heard of"} {
		t.Run(name, func(t *testing.T) {
			at := newPlace(t)
			first := at.start(t, three())
			first.succeed(abc...)
			switch name {
			case "taken before the save":
				first.clerk.Take(request("a"))
				first.save()
			case "taken after it":
				first.save()
				first.clerk.Take(request("a"))
			default:
				delete(first.kind.objects, "a")
				first.save()
			}
			first.kill()
			second := at.start(t, nil)
			who := "a"
			if name == "never heard of" {
				who = "d"
			}
			second.born(who)
			if got := second.complete(who); (len(got) > 0) != (who == "d") {
				t.Errorf("the second process knows everything of %v", got)
			}
		})
	}
}
