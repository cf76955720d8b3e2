package peer

import (
	"context"
	"math"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/watchlist"
	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Options are the core's options for client-go's, and for client-go's
// feature gates as they are now.
func Options(lw cache.ListerWatcher, options cache.ReflectorOptions) reflector.Options[any] {
	core := reflector.Options[any]{
		Settings: Settings(lw, options),
		Kind:     options.TypeDescription,
		OnSkip: func(ctx context.Context, err error) {
			utilruntime.HandleErrorWithContext(ctx, err, "Left out what could not be understood", "reflector", options.Name, "type", options.TypeDescription)
		},
	}
	core.Guard = Guard
	if options.Clock != nil {
		core.Now, core.AfterFunc = options.Clock.Now, afterFunc(options.Clock)
	}
	return core
}

// Settings are the core's settings for client-go's options and gates.
func Settings(lw any, options cache.ReflectorOptions) informer.Settings {
	settings := informer.Settings{
		Lists: informer.PagesOnly,
		// client-go raises less than its default to it.
		WatchTimeout: max(options.MinWatchTimeout, reflector.DefaultSettings.WatchTimeout),
	}
	if clientfeatures.FeatureGates().Enabled(clientfeatures.WatchListClient) && !watchlist.DoesClientNotSupportWatchListSemantics(lw) {
		settings.Lists = informer.StreamFirst
	}
	if options.Backoff != nil {
		settings.Backoff = convertBackoff(*options.Backoff)
	}
	return settings
}

// convertBackoff is b in the core's terms. The core has no number of steps: what
// they grow to is the same as a cap. Its zeros have no opinion, b's are zeros. It
// does not shrink: a factor below one, which makes retries ever faster, is one.
func convertBackoff(b wait.Backoff) informer.Backoff {
	limit := float64(b.Duration) * math.Pow(max(b.Factor, 1), float64(max(b.Steps, 0)))
	if b.Cap > 0 {
		limit = min(limit, float64(b.Cap))
	}
	converted := informer.Backoff{
		Initial: max(b.Duration, time.Nanosecond),
		Max:     max(time.Duration(min(limit, math.MaxInt64/2)), time.Nanosecond),
		Factor:  max(b.Factor, 1),
		Jitter:  b.Jitter,
	}
	if b.Jitter <= 0 {
		converted.Jitter = -1
	}
	return converted
}

// afterFunc is the clock's AfterFunc. A clock that has none gets real time:
// waiting on its channels would take a goroutine for each timer.
func afterFunc(c clock.Clock) func(time.Duration, func()) func() bool {
	if c, ok := c.(clock.WithDelayedExecution); ok {
		return func(d time.Duration, f func()) func() bool { return c.AfterFunc(d, f).Stop }
	}
	return nil
}
