// The last calls of reconcilers, and why they were made.
import { h, draw, table, more, state, field, select, isSelecting, key } from "./dom.js";
import { get, poll } from "./api.js";
import { oclock, span, number, plural, object, when, forHow, brief, changes, cut, firstOf, main, gist, facts, path, shortKind, counts } from "./text.js";

export const resultMood = { success: "plain", requeue: "busy", error: "bad", panic: "bad" };
// Why a call was not told everything, in words for a count.
const lackWords = {
  NotRecorded: "not recorded", FirstTime: "first call", InitialList: "first list", Restart: "after a restart", Missed: "something missed", Overflow: "too many changes",
  Unrecorded: "not recorded", Unattributed: "of no known object", Blind: "nothing can be known", Other: "other",
};
const stepMood = { done: "plain", skipped: "off", failed: "bad" };

export const reconcileColumns = [
  { name: "Details", label: "" }, { label: "Began" }, { label: "Result" }, { label: "Controller" }, { label: "Request" }, { label: "Took", class: "num" },
  { label: "Attempt", class: "num" }, { label: "Because of", class: "wide" },
];

/** grouped puts calls of a request that follow one another and failed alike into one, the newest. The newest come first. */
export function grouped(calls) {
  const latest = new Map(); // by request: the group that its call before the last belongs to
  const groups = [];
  for (const call of calls) {
    const request = key(call.controller, call.namespace, call.name);
    const after = latest.get(request);
    if (after && call.error && after.error === call.error && after.result === call.result) {
      [after.times, after.first, after.oldest] = [after.times + 1, call.began, call.id];
      continue;
    }
    latest.set(request, { ...call, times: 1 });
    groups.push(latest.get(request));
  }
  return groups;
}

/** reconcileRow shows one call. kindOf gives the kind that a controller reconciles. */
export function reconcileRow(r, opened, redraw, kindOf) {
  const mine = `call ${r.oldest ?? r.id}`; // which stays the same when the request fails once more
  return {
    key: mine, class: opened.has(mine) ? "opened" : null,
    cells: [
      more(opened, mine, `the call for ${path(r)}`, redraw), oclock(r.began), [state(r.result, resultMood[r.result] ?? "warn"), inRow(r)], r.controller,
      request(r, kindOf), span(r.seconds), number(r.attempt),
      [firstOf(r.changes, r.changesLeftOut), h("div", null, brief(main(r.changes)?.edits), ran(r.steps)),
        r.incomplete && h("div", { class: "note" }, `everything is looked at: ${r.incomplete}`), r.error && h("code", { class: "error" }, gist(r.error))],
    ],
    detail: opened.has(mine) && [
      r.requeueAfterSeconds > 0 && facts([["Asked to be called again", `after ${span(r.requeueAfterSeconds)}`]]),
      r.error && [h("h2", null, "Error"), h("code", { class: "error" }, r.error)],
      h("h2", null, "Changes"), changes(r.changes, r.changesLeftOut),
      r.steps?.length > 0 && [h("h2", null, "Steps"), table("Steps", [{ label: "Step" }, { label: "Result" }, { label: "Why", class: "wide" }],
        r.steps.map((s, i) => ({ key: `step ${i}`, cells: [h("span", { class: "mono" }, s.name), state(s.result, stepMood[s.result] ?? "warn"), [s.because, s.error && h("code", { class: "error" }, s.error)]] })), "")],
    ],
  };
}

/** inRow says how often a call failed alike before. */
export const inRow = (r) => r.times > 1 && h("div", { class: "note" }, `${plural(r.times, "time")} alike, first `, when(r.first));

/** ran names the steps that a call did not skip. */
function ran(steps) {
  if (!steps?.length) return null;
  const names = steps.filter((s) => s.result !== "skipped").map((s) => s.name);
  return h("span", { class: "note" }, names.length > 0 ? ` ran ${names.join(", ")}` : " skipped each step");
}

export function request(r, kindOf) {
  const kind = kindOf?.(r.controller);
  return kind ? object(kind, r.namespace, r.name) : h("span", { class: "mono" }, path(r));
}

export function loopWarning(l) {
  const what = l.pattern === "Fight" ? `${l.managers.join(" and ")} undo each other's writes of` : "is called again and again for the operator's own writes of";
  const mine = key(l.controller, l.namespace, l.name, l.pattern, l.kind, l.objectNamespace, l.objectName);
  return h("div", { class: l.over ? "warning over" : "warning", role: "group", "aria-label": `Loop at ${path(l)}`, "data-key": mine },
    h("p", null, state(l.over ? "loop, over" : "loop", l.over ? "off" : "warn"), " ", h("strong", null, `${l.controller} ${path(l)}`), `: ${what} `,
      l.paths.map((p, i) => [i > 0 && ", ", h("span", { class: "mono" }, p)]), ` in ${shortKind(l.kind)} `, object(l.kind, l.objectNamespace, l.objectName), "."),
    h("p", { class: "note" }, l.over ? `${plural(l.rounds, "round")} within ${span((Date.parse(l.last) - Date.parse(l.since)) / 1000)}` : [`${plural(l.rounds, "round")}, going on `, forHow(l.since)],
      ", the last one ", when(l.last), ".", l.deferred && " The request is slowed down meanwhile."));
}

// Each list is one question to the operator, or several whose answers are put together.
const lists = { newest: ["Newest", [{}]], slowest: ["Slowest", [{ order: "slowest" }]], failing: ["Failing", [{ result: "error" }, { result: "panic" }]] };

export function reconciles(place, params, signal) {
  const filter = { controller: params.get("controller") ?? "", namespace: params.get("namespace") ?? "", name: params.get("name") ?? "" };
  let chosen = lists[params.get("list")] ? params.get("list") : "newest";
  let list = null, loops = null, controllers = [], missing = [], refused = null;
  const opened = new Set();
  const kindOf = (name) => controllers.find((c) => c.name === name)?.kind;
  const redraw = () => draw(place, h("h1", null, "Reconciles"), loops?.items.map(loopWarning), controllers.length > 0 && strip(controllers), controls(),
    refused ? h("p", { class: "problem", role: "alert" }, refused.message)
      : list ? [missing.map(cut), table("Calls of reconcilers", reconcileColumns, list.map((r) => reconcileRow(r, opened, redraw, kindOf)), "No call is known that the filter lets through.")]
        : h("p", { class: "empty" }, "Asking the operator"));
  const controls = () => h("div", { class: "filters", role: "search", "aria-label": "Filter the calls" },
    h("div", { class: "tabs", role: "group", "aria-label": "Which calls" }, Object.entries(lists).map(([name, [label]]) =>
      h("button", { type: "button", "aria-pressed": String(chosen === name), onclick: () => { chosen = name; remember(); } }, label))),
    field("Controller", firstFilter(select("controller", "all controllers", controllers.map((c) => c.name), filter.controller, changed))),
    field("Namespace", text("namespace")), field("Name", text("name")));
  const firstFilter = (el) => { el.dataset.firstFilter = ""; return el; };
  const text = (name) => h("input", { name, type: "text", value: filter[name], placeholder: "all", autocomplete: "off", spellcheck: "false", onchange: changed });
  const changed = (e) => { filter[e.target.name] = e.target.value.trim(); remember(); };
  const remember = () => {
    const query = new URLSearchParams(Object.entries({ ...filter, list: chosen === "newest" ? "" : chosen }).filter(([, v]) => v));
    history.replaceState(null, "", `#/reconciles${query.size ? `?${query}` : ""}`);
    redraw();
    read();
  };
  const read = async () => {
    const question = () => JSON.stringify([chosen, filter]);
    const asked = question();
    try {
      const [calls, found, all] = await Promise.all([
        Promise.all(lists[chosen][1].map((q) => get("reconciles", { ...filter, ...q, limit: 100 }, signal))), get("loops", {}, signal), get("controllers", {}, signal)]);
      if (asked !== question()) return;
      const items = calls.length === 1 ? calls[0].items : calls.flatMap((c) => c.items).sort((a, b) => b.id - a.id);
      [list, loops, controllers, missing, refused] = [chosen === "slowest" ? items : grouped(items), found, all.items, [...calls, all], null];
    } catch (error) {
      if (signal.aborted || asked !== question()) return;
      refused = error;
    }
    if (!isSelecting(place)) redraw();
  };
  redraw();
  poll(read, 2000, signal);
  return "Reconciles";
}

/** strip sums up the controllers. */
function strip(controllers) {
  return h("ul", { class: "strip", "aria-label": "Controllers" }, controllers.map((c) => h("li", null,
    h("strong", null, c.name), h("span", { class: "note" }, c.kind ? ` reconciles ${shortKind(c.kind)}` : ""),
    facts([["Calls", counts(c.calls) || "none"], ["Causes", counts(c.causes)], ["Own writes", c.changes > 0 && `${number(c.ownWrites)} of ${plural(c.changes, "change")}`],
      ["Held back", c.heldBack > 0 && plural(c.heldBack, "event")], ["Incomplete", counts(c.incomplete, lackWords)], ["Blind", c.ledger.blind], ["Advice", c.ledger.advice]]))));
}
