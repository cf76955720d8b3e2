// The few things that can be asked of an operator.
import { h, draw, dialog, field, select } from "./dom.js";
import { get, post } from "./api.js";

/** confirmAction says what will happen, and does it if somebody agrees. */
export function confirmAction({ title, says, action, body, label, after }) {
  const question = h("div", null, says.map((text) => h("p", null, text)));
  const outcome = h("div", { class: "outcome", "aria-live": "assertive" });
  dialog(title, (close) => {
    const back = h("button", { type: "button", onclick: close, autofocus: true }, "Go back");
    const go = h("button", { type: "button", class: "main", "data-confirm": action }, label);
    go.onclick = async () => {
      go.disabled = true;
      draw(outcome, h("p", { class: "note" }, "Asking the operator"));
      try {
        const done = await post(action, body);
        question.remove();
        draw(outcome, h("p", { class: "done" }, done.message));
        go.remove();
        back.textContent = "Close";
        back.focus();
        after?.(done);
      } catch (error) {
        draw(outcome, h("p", { class: "problem" }, error.message));
        go.disabled = false;
        go.textContent = "Try again";
      }
    };
    return [question, outcome, h("div", { class: "buttons" }, back, go)];
  });
}

export function actions(place, params, signal) {
  let kinds = [];
  const chosen = params.get("kind") ?? "";
  const done = []; // what was done here, the newest first
  const note = (d) => { done.unshift({ at: new Date(), text: d.message }); redraw(); };

  const act = (make) => (e) => {
    e.preventDefault();
    const form = e.target.closest("section");
    const values = Object.fromEntries([...form.querySelectorAll("input, select")].map((i) => [i.name, i.value.trim()]));
    const wrong = [...form.querySelectorAll("input, select")].find((i) => !i.reportValidity());
    if (!wrong) confirmAction({ ...make(values), after: note });
  };
  const form = (title, says, fields, label, make) => h("section", { class: "card", "data-key": title },
    h("h2", null, title), h("p", { class: "note" }, says), h("div", { class: "form" }, fields),
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: act(make), disabled: kinds.length === 0 }, label)));
  const kindField = (first) => {
    const input = select("kind", null, kinds, chosen);
    if (first) input.dataset.firstFilter = "";
    return field("Kind", input);
  };
  const text = (name, props) => h("input", { name, type: "text", autocomplete: "off", spellcheck: "false", ...props });

  const redraw = () => draw(place, h("h1", null, "Actions"),
    h("p", { class: "lead" }, "Each action asks before it does anything. None changes an object in the cluster by itself, but what a reconciler does when it is called may."),
    h("div", { class: "cards" },
      form("Resync", "Shows objects to their controllers although they have not changed.",
        [kindField(true), field("Label selector", text("selector", { placeholder: "all objects" }))], "Resync",
        (v) => ({
          title: `Resync ${v.kind}?`, action: "resync", body: { kind: v.kind, selector: v.selector }, label: "Resync",
          says: [`${v.selector ? `The objects of ${v.kind} that have ${v.selector}` : `All objects of ${v.kind}`} are shown again to all subscribers that take part in resyncs.`,
            "Each one becomes a request of its controllers. With many objects that is a lot of work for them, and for the API server."],
        })),
      form("Relist", "Lists a kind again, although its watch is well.", [kindField()], "Relist",
        (v) => ({
          title: `List ${v.kind} again?`, action: "relist", body: { kind: v.kind }, label: "Relist",
          says: ["The operator reads all objects of the kind from the API server, and tells its controllers about what differs from the cache.", "Reads go on meanwhile. A large list costs the API server much."],
        })),
      form("Resync policy", "Changes when objects are shown although they have not changed. It holds until the operator ends.",
        [kindField(), field("Period", text("period", { placeholder: "10m, or never", required: true, pattern: "never|([0-9.]+(ns|us|ms|s|m|h))+", title: "a duration such as 10m or 1h30m, or never" })),
          field("Objects a second", text("rate", { placeholder: "no limit", inputmode: "decimal", pattern: "[0-9]*[.]?[0-9]*", title: "a number" }))], "Change",
        (v) => ({
          title: `Change the resync policy of ${v.kind}?`, action: "policy", body: { kind: v.kind, period: v.period, rate: Number(v.rate) || 0 }, label: "Change",
          says: [v.period === "never" ? `Objects of ${v.kind} are no longer shown unchanged.` : `Each object of ${v.kind} is shown again every ${v.period}${Number(v.rate) ? `, and at most ${v.rate} objects a second` : ""}.`,
            "The policy that the operator was started with comes back when it starts again."],
        }))),
    h("p", { class: "note" }, "Failures of a request can be forgotten, and its delay cancelled, among the ", h("a", { href: "#/queues" }, "queues"), "."),
    done.length > 0 && h("section", null, h("h2", null, "Done from this page"), h("ul", { class: "log" }, done.map((d) => h("li", null, h("span", { class: "clock" }, d.at.toLocaleTimeString(undefined, { hourCycle: "h23" })), " ", d.text)))));
  redraw();
  get("kinds", {}, signal).then((list) => { kinds = list.items.map((k) => k.name); redraw(); }, (error) => {
    if (!signal.aborted) draw(place, h("h1", null, "Actions"), h("p", { class: "problem", role: "alert" }, error.message));
  });
  return "Actions";
}
