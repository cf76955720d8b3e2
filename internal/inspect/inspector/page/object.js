// All that is known of one object.
import { h, draw, table, state, isSelecting } from "./dom.js";
import { get, poll } from "./api.js";
import { when, facts, path, shortKind, object as link, changes, cut } from "./text.js";
import { deltaRow } from "./deltas.js";
import { grouped, inRow, reconcileRow, loopWarning } from "./reconciles.js";
import { itemMood } from "./queues.js";

const most = 25; // changes, and calls, that an answer has

const columns = [{ name: "Details", label: "" }, { label: "When" }, { label: "What" }, { label: "Who" }, { label: "Change, or cause", class: "wide" }];

/** line has changes and calls in one order, the newest first. The kind and the object are in the title. */
function line(why, opened, redraw) {
  const changes = (why.deltas ?? []).map((d) => {
    const row = deltaRow(d, opened, redraw);
    const [details, seen, op, , , manager, change] = row.cells;
    return { at: d.seen, row: { ...row, cells: [details, seen, op, manager, change] } };
  });
  const calls = grouped(why.told ?? []).map((r) => {
    const row = reconcileRow(r, opened, redraw, () => why.kind);
    const [details, began, result, , , took, attempt, because] = row.cells;
    const other = r.namespace !== why.namespace || r.name !== why.name;
    return { at: r.began, row: { ...row, cells: [details, began, [result[0], h("br"), h("span", { class: "note" }, "after ", took, r.attempt > 1 && [", attempt ", attempt]), inRow(r)],
      ["controller ", r.controller, other && [" for ", h("span", { class: "mono" }, path(r))]], because] } };
  });
  // A call comes after the change that led to it, also within one millisecond. Where one of the lists ends, the line ends: further
  // back it would look as if nothing of that sort had happened.
  const from = Math.max(...[why.told, why.deltas].map((all) => ((all?.length ?? 0) < most ? 0 : Date.parse(all.at(-1).began ?? all.at(-1).seen))));
  const shown = [...calls, ...changes].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).filter((e) => Date.parse(e.at) >= from);
  return { rows: shown.map((e) => e.row), more: from > 0 };
}

/** tree lists relatives, each generation further to the right. */
const tree = (relatives) => relatives?.length > 0 && h("ul", { class: "tree" }, relatives.map((r) => h("li", { "data-depth": r.depth }, shortKind(r.kind), " ",
  r.cached ? link(r.kind, r.namespace, r.name) : [h("span", { class: "mono" }, path(r)), h("span", { class: "note" }, ", which is not in the cache")])));

/** commands show what the page does not: it has of an object only what changed, and kubectl asks who is asking. */
function commands(why) {
  const [version, kind] = why.kind.replace(/ \(.*\)$/, "").split(" ");
  const group = version.includes("/") ? `.${version.split("/")[0]}` : "";
  const at = `${kind.toLowerCase()}${group}/${why.name}${why.namespace ? ` --namespace ${why.namespace}` : ""}`;
  return ["get --output yaml", "events --for"].map((verb) => h("code", { class: "command" }, `kubectl ${verb} ${at}`));
}

export function object(place, params, signal) {
  const asked = { kind: params.get("kind") ?? "", namespace: params.get("namespace") ?? "", name: params.get("name") ?? "" };
  let why = null, refused = null, family = {}, polls = 0;
  const opened = new Set();
  const title = `${shortKind(asked.kind)} ${path(asked)}`;
  const redraw = () => draw(place, h("h1", null, shortKind(asked.kind), " ", h("span", { class: "mono" }, path(asked))),
    refused ? h("p", { class: "problem", role: "alert" }, refused.message) : why ? body() : h("p", { class: "empty" }, "Asking the operator"));
  const body = (all = line(why, opened, redraw)) => [
    cut(why),
    facts([["Kind", why.kind], ["In the cache", why.cached ? state("yes", "good") : state("no", "off")],
      ["Version", why.resourceVersion && h("span", { class: "mono" }, why.resourceVersion)],
      ["Belongs to", tree(family.owners)], ["Owns", tree(family.children)], ["YAML and Events", why.cached && commands(why)]]),
    why.requests.map((r) => h("section", { class: "card", "data-key": r.controller }, h("h2", null, `Controller ${r.controller}`),
      h("p", null, state(r.state, itemMood(r.state, r.item?.attempts)), " ", r.summary),
      facts([["Last success", r.lastSuccess && when(r.lastSuccess)], ["Last call", r.last && [when(r.last.began), ", ", r.last.result]],
        ["Waits with", (r.item?.why?.length > 0 || r.item?.whyLeftOut > 0) && changes(r.item.why, r.item.whyLeftOut)], ["Due", r.item?.due && when(r.item.due)]]),
      r.loop && loopWarning(r.loop))),
    h("h2", null, "What happened, the newest first"),
    table(`Changes of ${title} and calls`, columns, all.rows, "No change of it and no call is kept."),
    all.more && h("p", { class: "note after" }, "What happened before is not shown here. The views of deltas and reconciles have more."),
  ];
  redraw();
  poll(async () => {
    try {
      const whole = polls++ % 15 === 0; // the operator looks at every object for a family
      why = await get("why", whole ? { ...asked, family: "yes" } : asked, signal);
      if (whole) family = { owners: why.owners, children: why.children };
      refused = null;
    } catch (error) {
      if (signal.aborted) return;
      refused = error;
    }
    if (!isSelecting(place)) redraw();
  }, 2000, signal);
  return title;
}
