// All that is known of one object.
import { h, draw, table, state, isSelecting } from "./dom.js";
import { get, poll } from "./api.js";
import { when, facts, path, shortKind, changes, cut } from "./text.js";
import { deltaRow, deltaColumns } from "./deltas.js";
import { reconcileRow, reconcileColumns, loopWarning } from "./reconciles.js";
import { itemMood } from "./queues.js";

// The kind and the object are in the title, and need no columns.
const kept = deltaColumns.flatMap((c, i) => (["Kind", "Object"].includes(c.label) ? [] : [i]));
const own = (row) => ({ ...row, cells: kept.map((i) => row.cells[i]) });

export function object(place, params, signal) {
  const asked = { kind: params.get("kind") ?? "", namespace: params.get("namespace") ?? "", name: params.get("name") ?? "" };
  let why = null, refused = null;
  const opened = new Set();
  const title = `${shortKind(asked.kind)} ${path(asked)}`;
  const redraw = () => draw(place, h("h1", null, shortKind(asked.kind), " ", h("span", { class: "mono" }, path(asked))),
    refused ? h("p", { class: "problem", role: "alert" }, refused.message) : why ? body() : h("p", { class: "empty" }, "Asking the operator"));
  const body = () => [
    cut(why),
    facts([["Kind", why.kind], ["In the cache", why.cached ? state("yes", "good") : state("no", "off")],
      ["Version", why.resourceVersion && h("span", { class: "mono" }, why.resourceVersion)]]),
    why.requests.map((r) => h("section", { class: "card", "data-key": r.controller }, h("h2", null, `Controller ${r.controller}`),
      h("p", null, state(r.state, itemMood(r.state, r.item?.attempts)), " ", r.summary),
      facts([["Last success", r.lastSuccess && when(r.lastSuccess)], ["Last call", r.last && [when(r.last.began), ", ", r.last.result]],
        ["Waits with", (r.item?.why?.length > 0 || r.item?.whyLeftOut > 0) && changes(r.item.why, r.item.whyLeftOut)], ["Due", r.item?.due && when(r.item.due)]]),
      r.loop && loopWarning(r.loop))),
    h("h2", null, "Deltas of this object"),
    table(`Deltas of ${title}`, kept.map((i) => deltaColumns[i]), (why.deltas ?? []).map((d) => own(deltaRow(d, opened, redraw))), "No delta of it is kept."),
    h("h2", null, "Calls that were told about it"),
    table(`Calls about ${title}`, reconcileColumns, (why.told ?? []).map((r) => reconcileRow(r, opened, redraw)), "No call is kept that was told a change of this object."),
  ];
  redraw();
  poll(async () => {
    try {
      why = await get("why", asked, signal);
      refused = null;
    } catch (error) {
      if (signal.aborted) return;
      refused = error;
    }
    if (!isSelecting(place)) redraw();
  }, 2000, signal);
  return title;
}
