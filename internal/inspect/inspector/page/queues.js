// What the controllers have to do, and when.
import { h, draw, table, more, state, field, select, isSelecting, key } from "./dom.js";
import { get, poll } from "./api.js";
import { when, forHow, number, span, plural, path, changes, cut, firstOf } from "./text.js";
import { request } from "./reconciles.js";
import { confirmAction } from "./actions.js";

const moods = { working: "busy", ready: "good", delayed: "off", idle: "off", unknown: "off" };

/** itemMood is that of a request. One that is delayed after a failure is in trouble, and one with a timer is not. */
export const itemMood = (s, failures) => (s === "delayed" && failures > 0 ? "warn" : moods[s] ?? "warn");

/** priority is a number, except where everybody has a word for it. */
const priority = (n) => ({ 0: h("span", { class: "none" }, "–"), "-100": "low" })[n] ?? number(n);

const columns = [
  { name: "Details", label: "" }, { label: "Request" }, { label: "State" }, { label: "When" }, { label: "Priority", class: "num" }, { label: "Failures", class: "num" },
  { label: "Why", class: "wide" }, { name: "Actions", label: "" },
];

export function queues(place, params, signal) {
  let controller = params.get("controller") ?? "";
  let list = null, controllers = [], refused = null;
  const opened = new Set();
  const kindOf = (name) => controllers.find((c) => c.name === name)?.kind;
  const redraw = () => draw(place, h("h1", null, "Queues"), h("div", { class: "filters", role: "search", "aria-label": "Filter the queues" },
    field("Controller", firstFilter(select("controller", "all controllers", controllers.map((c) => c.name), controller, changed)))),
  refused ? h("p", { class: "problem", role: "alert" }, refused.message)
    : list ? [cut(list), list.items.map((q) => queue(q, opened, redraw, kindOf, read))] : h("p", { class: "empty" }, "Asking the operator"));
  const firstFilter = (el) => { el.dataset.firstFilter = ""; return el; };
  const changed = (e) => {
    controller = e.target.value;
    history.replaceState(null, "", `#/queues${controller ? `?${new URLSearchParams({ controller })}` : ""}`);
    read();
  };
  const read = async () => {
    const asked = controller;
    try {
      const [found, all] = await Promise.all([get("queues", { controller: asked, limit: 100 }, signal), get("controllers", {}, signal)]);
      if (asked !== controller) return;
      [list, controllers, refused] = [found, all.items, null];
    } catch (error) {
      if (signal.aborted) return;
      refused = error;
    }
    if (!isSelecting(place)) redraw();
  };
  redraw();
  poll(read, 2000, signal);
  return "Queues";
}

function queue(q, opened, redraw, kindOf, read) {
  if (!q.known) {
    return h("section", { "data-key": q.controller }, h("h2", null, q.controller), h("p", { class: "empty" }, "This controller has a queue of its own, and nothing can be said of it."));
  }
  return h("section", { "data-key": q.controller, "aria-label": `Queue of ${q.controller}` },
    h("h2", null, q.controller),
    h("p", { class: "summary" }, ["working", "ready", "delayed"].map((s) => h("span", null, state(`${number(q[s])} ${s}`, q[s] ? itemMood(s) : "off"))), q.oldestSeconds > 0 && h("span", null, `the oldest waits ${span(q.oldestSeconds)}`),
      h("span", null, `${number(q.added)} added, ${number(q.finished)} finished`)),
    table(`Requests of ${q.controller}`, columns, q.items.map((item) => row(q, item, opened, redraw, kindOf, read)), "Nothing waits."),
    q.more && h("p", { class: "note" }, "There are more requests than are shown."));
}

function row(q, item, opened, redraw, kindOf, read) {
  const mine = key(q.controller, item.namespace, item.name);
  return {
    key: mine, class: opened.has(mine) ? "opened" : null,
    cells: [
      more(opened, mine, path(item), redraw), request({ ...item, controller: q.controller }, kindOf), state(item.state, itemMood(item.state, item.attempts)), time(item),
      priority(item.priority ?? 0), number(item.attempts ?? 0),
      firstOf(item.why ?? [], item.whyLeftOut),
      item.state === "delayed" && h("span", { class: "buttons" }, buttons(q, item, read)),
    ],
    detail: opened.has(mine) && [h("h2", null, "Changes that it waits with"), changes(item.why, item.whyLeftOut)],
  };
}

function time(item) {
  if (item.state === "working") return ["working ", forHow(item.working)];
  if (item.state === "delayed") return ["due ", when(item.due)];
  return ["waiting ", forHow(item.queued)];
}

function buttons(q, item, read) {
  const body = { controller: q.controller, namespace: item.namespace, name: item.name };
  return [
    h("button", {
      type: "button", "aria-label": `Forget the failures of ${path(item)}`, onclick: () => confirmAction({
        title: `Forget the failures of ${path(item)}?`, action: "forget", body, label: "Forget", after: read,
        says: [`${q.controller} tries the request at once, and not only when it is due.`, `Its count of ${plural(item.attempts ?? 0, "failure")} becomes zero, so that the next failure has a short delay again.`],
      }),
    }, "Forget"),
    h("button", {
      type: "button", "aria-label": `Cancel the delay of ${path(item)}`, onclick: () => confirmAction({
        title: `Cancel the delay of ${path(item)}?`, action: "cancel", body, label: "Cancel the delay", after: read,
        says: ["The request leaves the queue. Nothing tries it again until something changes that leads to it, or a resync.", "Changes that the reconciler was not told stay known."],
      }),
    }, "Cancel"),
  ];
}
