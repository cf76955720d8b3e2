// How the cache is doing with each kind.
import { h, draw, table, more, state, isSelecting } from "./dom.js";
import { get, poll } from "./api.js";
import { when, forHow, known, number, bytes, counts, plural, policy, facts, span, cut } from "./text.js";

const moods = {
  Following: "good", Listing: "busy", Streaming: "busy", Watching: "busy", Queued: "busy",
  BackingOff: "warn", Degraded: "bad", Idle: "off", Stopped: "off",
};

const mostPaths = 12; // of a kind's memory; the others cost next to nothing

const columns = [
  { name: "Details", label: "" }, { label: "Kind" }, { label: "State" }, { label: "Why", class: "wide" }, { label: "Heard" },
  { label: "Objects", class: "num" }, { label: "Pending", class: "num" }, { label: "Slowest subscriber" },
];

export function kinds(place, params, signal) {
  let list = null;
  let refused = null;
  const opened = new Set(params.getAll("kind"));
  const memory = new Map(); // by kind: an answer, "asking", or an Error
  const redraw = () => draw(place, h("h1", null, "Kinds"), refused ? h("p", { class: "problem", role: "alert" }, refused.message) : body());
  const ask = async (name) => {
    memory.set(name, "asking");
    redraw();
    try {
      memory.set(name, await get("memory", { kind: name }, signal));
    } catch (error) {
      if (signal.aborted) return;
      memory.set(name, error);
    }
    redraw();
  };
  const body = () => {
    if (!list) return h("p", { class: "empty" }, "Asking the operator");
    const rows = list.items.map((k) => ({
      key: k.name, class: opened.has(k.name) ? "opened" : null,
      cells: [
        more(opened, k.name, k.name, redraw), h("strong", { class: "mono" }, k.name),
        [state(k.state, moods[k.state] ?? "warn"), h("br"), h("span", { class: "note" }, forHow(k.since))],
        h("span", { class: "why" }, k.why, k.state !== "Following" && k.lastError && !k.why.includes(k.lastError) && h("code", { class: "error" }, k.lastError)), // of the past, if all is well
        known(k.disconnectedSince) ? [state("not heard", "warn"), " ", forHow(k.disconnectedSince)] : when(k.heardAt, "never"),
        number(k.objects), number(k.pending), worst(k.subscribers),
      ],
      detail: opened.has(k.name) && detail(k, memory.get(k.name), ask),
    }));
    return [cut(list), summary(list.items), table("Kinds that the cache has", columns, rows, "The cache has no kind yet.")];
  };
  redraw();
  poll(async () => {
    try {
      list = await get("kinds", {}, signal);
      refused = null;
    } catch (error) {
      if (signal.aborted) return;
      refused = error;
    }
    if (!isSelecting(place)) redraw();
  }, 2000, signal);
  return "Kinds";
}

function summary(items) {
  const by = new Map();
  for (const k of items) by.set(k.state, (by.get(k.state) ?? 0) + 1);
  const objects = items.reduce((sum, k) => sum + k.objects, 0);
  return h("p", { class: "summary" }, h("span", null, plural(items.length, "kind")),
    [...by].map(([word, n]) => h("span", null, state(`${n} ${word}`, moods[word] ?? "warn"))),
    h("span", null, plural(objects, "object")));
}

/** worst names the subscriber that is furthest behind. */
function worst(subscribers) {
  if (!subscribers.length) return h("span", { class: "none" }, "none");
  const last = subscribers.reduce((a, b) => (b.lag > a.lag ? b : a));
  if (last.slow) return [state("slow", "warn"), ` ${last.name}`, h("br"), h("span", { class: "note" }, `${plural(last.lag, "event")} behind, ${span(last.lagSeconds)}`)];
  if (last.lag === 0) return h("span", null, `none of ${number(subscribers.length)} is behind`);
  return `${last.name}, ${plural(last.lag, "event")} behind`;
}

function detail(k, memory, ask) {
  const skipped = k.skipped > 0 && [state(plural(k.skipped, "object"), "warn"), " could not be read"];
  return [
    facts([
      ["Version that readers see", k.resourceVersion && h("span", { class: "mono" }, k.resourceVersion)],
      ["Lists by reason", counts(k.lists) || "none"], ["Watches opened", number(k.watches)], ["Left out", skipped],
      ["Refused", known(k.degradedSince) && forHow(k.degradedSince)], ["Not heard", known(k.disconnectedSince) && forHow(k.disconnectedSince)],
      ["Last error", k.lastError && h("code", null, k.lastError)],
      ["Next resync", when(k.resync.next, "none is planned")], ["Resyncs under way", number(k.resync.runs)],
      ["Resync in progress", k.resync.left + k.resync.waiting > 0 && `${plural(k.resync.left, "object")} left, ${plural(k.resync.waiting, "resync")} waiting`],
    ]),
    h("h2", null, "Scopes"),
    table(`Scopes of ${k.name}`, [{ label: "Namespace" }, { label: "State" }, { label: "Version" }, { label: "Heard" }, { label: "Resync policy", class: "wide" }],
      k.scopes.map((s) => ({
        key: `scope ${s.namespace}`,
        cells: [[s.namespace || "all", s.except?.length > 0 && h("span", { class: "note" }, ` except ${s.except.join(", ")}`)], state(s.state, moods[s.state] ?? "warn"),
          h("span", { class: "mono" }, s.resourceVersion || "–"), when(s.heardAt, "never"), policy(s.policy || "none")],
      })), "There is no scope."),
    k.scopesLeftOut > 0 && h("p", { class: "note" }, `and ${plural(k.scopesLeftOut, "more scope")}`),
    h("h2", null, "Subscribers"),
    table(`Subscribers of ${k.name}`, [{ label: "Name" }, { label: "Behind by" }, { label: "In its handler" }, { label: "Told", class: "num" }, { label: "Resync policy", class: "wide" }],
      k.subscribers.map((s) => ({
        key: `subscriber ${s.name}`,
        cells: [s.name, s.slow ? [state("slow", "warn"), ` ${plural(s.lag, "event")}, ${span(s.lagSeconds)}`] : s.lag ? `${plural(s.lag, "event")}, ${span(s.lagSeconds)}` : "nothing",
          forHow(s.inHandlerSince, "no"), number(s.told), policy((s.policies ?? []).join("; ") || "none")],
      })), "Nobody is told about this kind."),
    h("h2", null, "Memory"), memoryOf(k, memory, ask),
  ];
}

function memoryOf(k, memory, ask) {
  const button = h("button", { type: "button", onclick: () => ask(k.name), disabled: memory === "asking" }, memory === "asking" ? "Measuring" : memory ? "Measure again" : "Measure a sample");
  if (!memory || memory === "asking") return h("p", null, button);
  if (memory instanceof Error) return [h("p", { class: "problem", role: "alert" }, memory.message), h("p", null, button)];
  const most = Math.max(1, ...memory.paths.map((p) => p.bytes));
  const [shown, rest] = [memory.paths.slice(0, mostPaths), memory.paths.slice(mostPaths)];
  return [
    h("p", null, `About ${bytes(memory.bytes)} for ${plural(memory.objects, "object")}, estimated from ${number(memory.sampled)}${memory.truncated ? ", as there was no time for more" : ""}. `, button),
    h("div", { class: "bars" }, table(`Memory of ${k.name} by path`, [{ label: "Path" }, { label: "Bytes", class: "num" }, { label: "Share", class: "wide" }],
      shown.map((p) => {
        const bar = h("span", { class: "bar", "aria-hidden": "true" });
        bar.style.width = `${Math.round((100 * p.bytes) / most)}%`;
        return { key: `path ${p.path}`, cells: [p.path ? h("span", { class: "mono" }, p.path) : "the object itself", bytes(p.bytes), h("span", { class: "track" }, bar)] };
      }), "There are no objects to measure.")),
    rest.length > 0 && h("p", { class: "note after" }, `${plural(rest.length, "more path has", "more paths have")} ${bytes(rest.reduce((sum, p) => sum + p.bytes, 0))} together.`),
  ];
}
