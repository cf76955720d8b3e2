// How the operator is doing, and what needs attention.
import { h, svg, draw, table, state, field, select, isSelecting } from "./dom.js";
import { get, poll } from "./api.js";
import { number, span, plural, forHow, facts, cut, gist, object } from "./text.js";
import { reconcileRow, reconcileColumns } from "./reconciles.js";

// What needs attention: its word, how bad it is, and the view that has more of it.
const whats = {
  Kind: ["kind", "bad", "kinds"], Failing: ["failing", "bad", "reconciles"], Loop: ["loop", "warn", "reconciles"],
  Slow: ["slow", "warn", "kinds"], Waiting: ["waiting", "warn", "queues"], Unsettled: ["never settles", "busy", "reconciles"],
};
const unknown = ["attention", "warn", "kinds"];

/** viewOf is where there is more about something that needs attention. */
export function viewOf(a) {
  const view = (whats[a.what] ?? unknown)[2];
  return view === "kinds" && a.controller ? "queues" : view;
}

/** news tells what needs attention, so that the tabs need not ask for what the view has. */
export const news = { onchange: () => {} };

const mostCalls = 10;

// Each graph has a name, the numbers of a sample, and how they are written.
const rate = (n, past) => `${number(Math.round((n * 600) / past.everySeconds) / 10)} a minute`;
const graphs = [
  ["Reconciles", (p) => p.calls, rate], ["Errors", (p) => p.errors, rate], ["Changes", (p) => p.changes, rate],
  ["Queued", (p) => p.queued, (n) => number(n)], ["Change to reconcile, p99", (p) => p.p99Seconds, (n) => (n ? span(n) : "–")],
];

export function now(place, params, signal) {
  let controller = params.get("controller") ?? "";
  let answer = null, calls = null, controllers = [], refused = null;
  const opened = new Set();
  const kindOf = (name) => controllers.find((c) => c.name === name)?.kind;
  const redraw = () => draw(place, h("h1", null, answer ? `Operator ${answer.program.name}` : "Now"),
    refused && h("p", { class: "problem", role: "alert" }, refused.message), answer ? body() : !refused && h("p", { class: "empty" }, "Asking the operator"));
  const body = () => [
    program(answer.program), verdict(answer), cut(answer), answer.attention.map(attention),
    h("div", { class: "filters" }, h("h2", null, answer.past.calls.length * answer.past.everySeconds < 890 ? "Since the start" : "The last quarter of an hour"),
      field("Controller", select("controller", "all controllers", controllers.map((c) => c.name), controller, changed))),
    past(answer.past),
    h("h2", null, "Last calls, and why"),
    table("Last calls of reconcilers", reconcileColumns, calls.slice(0, mostCalls).map((r) => reconcileRow(r, opened, redraw, kindOf)), "No reconciler has been called yet."),
    h("p", { class: "note after" }, h("a", { href: "#/reconciles" }, "All calls")),
  ];
  const changed = (e) => {
    controller = e.target.value;
    history.replaceState(null, "", `#/now${controller ? `?${new URLSearchParams({ controller })}` : ""}`);
    read();
  };
  const read = async () => {
    const asked = controller;
    try {
      const [found, last, all] = await Promise.all([get("now", { controller: asked }, signal), get("reconciles", { controller: asked, limit: mostCalls }, signal), get("controllers", {}, signal)]);
      if (asked !== controller) return;
      [answer, calls, controllers, refused] = [found, last.items, all.items, null];
      news.onchange(found.attention);
    } catch (error) {
      if (signal.aborted || asked !== controller) return;
      refused = error;
      if (error.status === 404 && asked) { // it has ended, or was never there
        controller = "";
        read();
      }
    }
    if (!isSelecting(place)) redraw();
  };
  redraw();
  poll(read, 2000, signal);
  return "Now";
}

function program(p) {
  return facts([["Running", forHow(p.since)], ["Pod or machine", p.host && h("span", { class: "mono" }, p.host)], ["Version", p.version && h("span", { class: "mono" }, p.version)],
    ["Leader", p.leads ? "yes" : "no: another replica reconciles, or the manager still starts"]]);
}

function verdict({ attention: all, cut: lacks, program: p }) {
  const bad = all.some((a) => (whats[a.what] ?? unknown)[1] === "bad");
  const none = p.leads ? state("All is well", "good") : state("Nothing needs attention here. The leader may know more.", "off");
  if (all.length === 0 && lacks) return null;
  return h("p", { class: "verdict", role: "status" }, all.length === 0 ? none : state(`${plural(all.length, "thing needs", "things need")} attention`, bad ? "bad" : "warn"));
}

function attention(a) {
  const [word, mood] = whats[a.what] ?? unknown;
  const more = new URLSearchParams(Object.entries({ controller: a.controller, kind: a.name ? "" : a.kind, list: a.what === "Failing" ? "failing" : "" }).filter(([, v]) => v));
  return h("div", { class: `warning ${mood}`, role: "group", "aria-label": a.summary, "data-key": `${a.what} ${a.controller} ${a.kind} ${a.namespace} ${a.name} ${a.error}` },
    h("p", null, state(word, mood), " ", a.summary, a.since && h("span", { class: "note" }, " ", forHow(a.since))),
    a.error && h("code", { class: "error" }, gist(a.error)),
    h("p", { class: "links" }, a.name && a.kind && object(a.kind, a.namespace, a.name), h("a", { href: `#/${viewOf(a)}?${more}` }, `Look at the ${viewOf(a)}`)));
}

function past(p) {
  if (p.calls.length === 0) return h("p", { class: "empty" }, `The first numbers come within ${span(p.everySeconds).replace(".0", "")}.`);
  return h("div", { class: "graphs" }, graphs.map(([label, of, write]) => graph(label, of(p), (n) => write(n, p), p.everySeconds)));
}

const height = 32;

function graph(label, values, write, every) {
  const most = Math.max(...values);
  const last = values[values.length - 1];
  const y = (v) => (height - 1 - ((height - 2) * v) / (most || 1)).toFixed(1);
  const line = values.map((v, i) => `${i} ${y(v)}`).join("L");
  const says = `${label}: ${write(last)} now, the highest ${write(most)} in ${span(values.length * every)}`;
  return h("figure", { class: "graph", "data-key": label }, h("figcaption", null, h("span", { class: "note" }, label), h("strong", null, write(last))),
    svg("svg", { viewBox: `0 0 ${Math.max(1, values.length - 1)} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": says },
      svg("path", { class: "area", d: `M0 ${height}L${line}L${values.length - 1} ${height}Z` }), svg("path", { class: "line", d: `M${line}` })),
    h("p", { class: "note" }, `highest ${write(most)}`));
}
