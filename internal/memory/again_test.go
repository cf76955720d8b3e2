package memory

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAKindThatIsAskedForAgain sees that a kind which was removed is not compared with what this very process has saved. Its
// controllers were told of that as it happened.
func TestAKindThatIsAskedForAgain(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	p := at.start(t, three())
	if got := p.read(); !maps.Equal(got, three()) {
		t.Errorf("it is given %v", got)
	}
	p.save()
	p.memory.AddKind(kindName, p.things)
	p.objects = map[string]string{"d": "1"}
	if got := p.read(); got != nil {
		t.Errorf("the second informer is given %v", got)
	}
	p.save()
	p.kill()
	if got := at.start(t, nil).read(); !maps.Equal(got, p.objects) {
		t.Errorf("the next process is given %v, want %v", got, p.objects)
	}
}

// TestAKindThatIsAskedForAgainOfAProcessThatLeadsLate has a process save its own state in place of a past that nobody has asked for.
// That is not its past when the kind was removed and is asked for again.
func TestAKindThatIsAskedForAgainOfAProcessThatLeadsLate(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	synctest.Test(t, func(t *testing.T) {
		p := at.start(t, three())
		time.Sleep(pastFor + time.Second)
		p.objects = map[string]string{"d": "1"}
		p.save()
		p.memory.AddKind(kindName, p.things)
		p.objects = map[string]string{"e": "1"}
		if got := p.read(); got != nil {
			t.Errorf("the second informer is given %v", got)
		}
		p.kill()
	})
}

// TestAServerThatDoesNotSayWhichItIs has the server fail for a moment. The saved state is not used then, and stays.
func TestAServerThatDoesNotSayWhichItIs(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	p := at.start(t, three())
	at.failing = true
	if got := p.read(); got != nil {
		t.Errorf("it is given %v", got)
	}
	at.failing = false
	p.objects = nil
	p.save()
	p.finish()
	if got := at.start(t, nil).read(); !maps.Equal(got, three()) {
		t.Errorf("the next process is given %v", got)
	}
}

// TestAFileOfAnotherMoment sees that a kind is read as it was saved, whatever became of another one.
func TestAFileOfAnotherMoment(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	p := at.start(t, map[string]string{"z": "9"})
	broken := &things{at: at, print: "all", objects: three(), broken: errors.New("it is broken")}
	p.memory.AddKind("a broken one", broken)
	p.read()
	if err := p.memory.Finish(t.Context()); err == nil || !strings.Contains(err.Error(), "a broken one") {
		t.Errorf("the error is %v", err)
	}
	if got := at.start(t, nil).read(); !maps.Equal(got, p.objects) {
		t.Errorf("the next one is given %v, want %v", got, p.objects)
	}
}
