"use strict";
// What the page can do with a script: switch algorithms on and off, show a chart's exact values, sort tables, and
// change between light and dark. Without it everything can be read. Nothing is built before it is needed.
(() => {
  performance.mark("script");
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const boxes = all("input[data-n]");
  const first = new Set(boxes.filter((b) => !b.checked).map((b) => b.dataset.n)); // off at first
  let off = new Set(first);

  // --- algorithms on and off ---

  // show brings curves and keys in line with what is off. Rows with the same curve share it: it has the colour of
  // the first that is on.
  function show() {
    for (const box of boxes) box.checked = !off.has(box.dataset.n);
    for (const e of all("[data-a]")) {
      const on = e.dataset.a.split(" ").filter((n) => !off.has(n));
      e.classList.toggle("off", on.length === 0);
      const painted = e.tagName === "TR" ? e.querySelector("svg") : e;
      if (on.length > 0) painted.setAttribute("class", painted.getAttribute("class").replace(/\ba\d+\b/, "a" + on[0]));
    }
    for (const e of all("span[data-n]")) e.classList.toggle("off", off.has(e.dataset.n));
    for (const chart of all(".chart")) drawn(chart);
  }

  // A chart of many curves shows some at first, the others rest: rest says of one whether it does.
  function rest(chart, numbers, on) {
    for (const e of all("[data-a]", chart)) if (e.dataset.a === numbers) e.classList.toggle("rest", on);
  }

  // drawn brings a chart in line with the curves that it shows.
  function drawn(chart) {
    rescale(chart);
    const count = chart.querySelector(".count");
    if (!count) return;
    const here = all(".curve:not(.off)", chart), shown = here.filter((c) => !c.classList.contains("rest"));
    const first = still(count), now = `${shown.length} of ${here.length} shown`;
    count.textContent = first.startsWith(now + ":") ? first : now;
    chart.querySelector("[data-do=others]").textContent = shown.length < here.length ? "show all" : "as at first";
  }

  // others shows all curves of a chart, or those of the first moment where it does show all.
  function others(chart) {
    const more = chart.querySelector(".curve.rest:not(.off)") !== null;
    for (const e of all("[data-a]", chart)) e.classList.toggle("rest", !more && e.dataset.rest !== undefined);
    drawn(chart);
  }

  // rescale gives a chart that starts at zero the height that its visible curves and its limit need.
  function rescale(chart) {
    if (chart.querySelector(".curve[data-v]")) return; // y is not the value itself
    const area = chart.querySelector(".area"), width = area.viewBox.baseVal.width;
    const limit = chart.querySelector(".limit");
    let top = limit ? Number(/^M0 (\d+)/.exec(limit.getAttribute("d"))[1]) : 0;
    for (const c of all(".curve:not(.off):not(.rest)", chart)) top = Math.max(top, Number(c.dataset.top));
    const high = Math.ceil(Math.max(top, 1) * (1 + 17 / 223));
    area.setAttribute("viewBox", `0 0 ${width} ${high}`);
    area.firstElementChild.setAttribute("transform", `matrix(1 0 0 -1 0 ${high})`);
    const above = chart.querySelector(".above");
    if (above) above.setAttribute("d", above.getAttribute("d").replace(/V\d+/, "V" + high));
    const marks = ticks(high);
    chart.querySelector(".grid").setAttribute("d", marks.filter((v) => v > 0).map((v) => `M0 ${v}H${width}`).join(""));
    chart.querySelector(".y").replaceChildren(...marks.map((v) => {
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      text.setAttribute("x", "100%");
      text.setAttribute("y", 100 * (1 - v / high) + "%");
      text.textContent = short(v);
      return text;
    }));
  }

  function ticks(high) {
    let step = 1;
    for (let power = 1; ; power *= 10) {
      const fit = [1, 2, 5].find((f) => high / (f * power) <= 8);
      if (fit) { step = fit * power; break; }
    }
    const marks = [];
    for (let v = 0; v <= high; v += step) marks.push(v);
    return marks;
  }

  const exact = (v) => v.toLocaleString("en-US");

  function short(v) {
    for (const [factor, prefix] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (v >= 10000 && v >= factor) return Number((v / factor).toPrecision(4)) + " " + prefix;
    }
    return exact(v);
  }

  // --- the address: #scenario&off=none,gcra ---

  const same = (a, b) => a.size === b.size && [...a].every((n) => b.has(n));

  function read() {
    const [place, ...settings] = location.hash.slice(1).split("&");
    for (const s of settings) {
      if (!s.startsWith("off=")) continue;
      const names = new Set(s.slice(4).split(",").map(decoded));
      off = new Set(boxes.filter((b) => names.has(b.value)).map((b) => b.dataset.n));
    }
    return place;
  }

  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
  }

  function write(place) {
    const names = boxes.filter((b) => off.has(b.dataset.n)).map((b) => encodeURIComponent(b.value));
    const hash = place + (same(off, first) ? "" : "&off=" + names.join(","));
    if ("#" + hash !== location.hash && (hash || location.hash)) history.replaceState(null, "", "#" + hash);
  }

  const place = () => location.hash.slice(1).split("&")[0];

  function change(next) {
    off = next;
    show();
    write(place());
  }

  addEventListener("hashchange", () => {
    const before = new Set(off), at = read();
    if (!same(before, off)) show();
    if (location.hash.includes("&")) go(at);
    write(at);
  });

  function go(id) {
    const target = id && document.getElementById(id);
    if (target) target.scrollIntoView();
  }

  // --- exact values under the pointer, and under the arrow keys ---

  const parsed = new WeakMap();

  // points are a curve's places and values, read from its path: M0 5h3v2 … in the units of the data, or steps whose
  // values stand beside them. Where steps have a gap there is none.
  function points(curve) {
    if (parsed.has(curve)) return parsed.get(curve);
    const d = curve.getAttribute("d"), list = [];
    const width = curve.ownerSVGElement.viewBox.baseVal.width; // the last place may be narrower
    if (curve.dataset.v) { // a step for each place with a value: M3 5h1V7h1
      const values = curve.dataset.v.split(" ").map(Number);
      let x = 0, y = 0, n = 0;
      for (const [, move, a, b] of d.matchAll(/([MVh])(\d+)(?: (\d+))?/g)) {
        if (move === "h") { list[x] = { x: (x + Math.min(x + 1, width)) / 2, y, v: values[n++] }; x++; }
        else if (move === "M") { x = Number(a); y = Number(b); }
        else y = Number(a);
      }
    } else {
      let y = Number(/^M0 (-?\d+)/.exec(d)[1]), x = 0;
      for (const [, move, n] of d.matchAll(/([hv])(-?\d+)/g)) {
        if (move === "v") { y += Number(n); continue; }
        for (let i = 0; i < Number(n); i++, x++) list.push({ x: (x + Math.min(x + 1, width)) / 2, y, v: y });
      }
    }
    parsed.set(curve, list);
    return list;
  }

  const cursors = new WeakMap(); // chart → number of its place
  const resting = new WeakMap(); // element → what it shows at rest

  function still(cell) {
    if (!resting.has(cell)) resting.set(cell, cell.textContent);
    return resting.get(cell);
  }

  function put(cell, value) {
    still(cell);
    cell.textContent = value === undefined ? "–" : exact(value);
  }

  function point(chart, at) {
    const curves = all(".curve", chart), bounds = all(".bound", chart), rows = all(".key tbody tr", chart);
    const last = Number(chart.dataset.last), i = Math.min(Math.max(at, 0), last);
    cursors.set(chart, i);
    const where = named(chart, i), head = chart.querySelector(".key th.v"), spoken = [];
    still(head);
    head.textContent = where;
    let x = 0, dots = "";
    curves.forEach((curve, n) => {
      const p = points(curve)[i], bound = bounds.find((b) => b.dataset.a === curve.dataset.a);
      put(rows[n].querySelector("td.v"), p && p.v);
      const second = rows[n].querySelector("td.bound"), q = bound && points(bound)[i];
      if (second) put(second, q && q.v);
      if (!p || rows[n].matches(".off, .rest")) return;
      x = p.x;
      dots += `M${p.x} ${p.y}h0`;
      spoken.push(all("span:not(.off)", rows[n]).map((s) => s.lastChild.textContent).join(", ") + " " + exact(p.v));
    });
    chart.querySelector(".cross").setAttribute("d", dots && `M${x} 0V${chart.querySelector(".area").viewBox.baseVal.height}`);
    chart.querySelector(".dots").setAttribute("d", dots);
    const pad = chart.querySelector(".pad");
    pad.setAttribute("aria-valuenow", i);
    pad.setAttribute("aria-valuetext", where + ": " + spoken.join("; "));
  }

  function named(chart, i) {
    const from = Number(chart.dataset.from || 0);
    const at = (n) => Number(Math.min(from + n * Number(chart.dataset.step), Number(chart.dataset.end)).toPrecision(10));
    if (!chart.dataset.origin) return `${at(i)}–${at(i + 1)} ${chart.dataset.unit}`;
    const text = (s) => new Date(chart.dataset.origin / 1000 + s * 1000).toISOString().replace("T", " ").replace(/\.000|Z/g, "");
    return `${text(at(i))}–${text(at(i + 1)).slice(11)} UTC`;
  }

  function leave(chart) {
    cursors.delete(chart);
    for (const cell of all(".v", chart)) cell.textContent = still(cell);
    for (const mark of all(".cross, .dots", chart)) mark.setAttribute("d", "");
  }

  // nearest is the place under a horizontal share of the plane.
  function nearest(chart, share) {
    return Math.floor(share * chart.querySelector(".area").viewBox.baseVal.width);
  }

  function pointer(event) {
    const pad = event.target.closest && event.target.closest(".pad");
    if (!pad) return;
    const box = pad.getBoundingClientRect();
    point(pad.closest(".chart"), nearest(pad.closest(".chart"), (event.clientX - box.left) / box.width));
  }

  document.addEventListener("pointermove", pointer);
  document.addEventListener("pointerdown", pointer);
  document.addEventListener("pointerout", (event) => {
    const pad = event.target.closest && event.target.closest(".pad");
    if (pad && pad !== document.activeElement && !pad.contains(event.relatedTarget)) leave(pad.closest(".chart"));
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches(".pad") && !cursors.has(event.target.closest(".chart"))) point(event.target.closest(".chart"), 0);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.matches(".pad")) leave(event.target.closest(".chart"));
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches(".pad") || event.altKey || event.ctrlKey || event.metaKey) return;
    const chart = event.target.closest(".chart"), at = cursors.get(chart) || 0, last = Number(chart.dataset.last);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowDown: at - 1, ArrowUp: at + 1, PageDown: at - 10, PageUp: at + 10, Home: 0, End: last }[event.key];
    if (event.key === "Escape") leave(chart);
    if (to === undefined) return;
    event.preventDefault();
    point(chart, to);
  });

  // pick brings one curve out of the others while the pointer is on its entry.
  function pick(event) {
    const row = event.target.closest && event.target.closest(".key tbody tr");
    for (const e of all(".picked")) e.classList.remove("picked");
    if (!row || event.type === "pointerout") return;
    const chart = row.closest(".chart");
    chart.classList.add("picked");
    for (const e of all("path[data-a]", chart)) if (e.dataset.a === row.dataset.a) e.classList.add("picked");
  }
  document.addEventListener("pointerover", pick);
  document.addEventListener("pointerout", pick);

  // --- tables ---

  function sort(button) {
    const th = button.parentElement, table = th.closest("table"), body = table.tBodies[0];
    const column = Array.from(th.parentElement.children).indexOf(th);
    const rows = Array.from(body.rows), numeric = rows.some((r) => Number.isFinite(figure(r.cells[column])));
    const before = th.getAttribute("aria-sort");
    const up = before ? before === "descending" : !numeric; // the largest figure first, names from a to z
    for (const other of all("[aria-sort]", table)) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = (a, b) => numeric
      ? compare(figure(a.cells[column]), figure(b.cells[column]), up)
      : (up ? 1 : -1) * a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en");
    body.append(...rows.sort(order));
  }

  // compare puts what has no figure last, either way.
  function compare(a, b, up) {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return up ? a - b : b - a;
  }

  function figure(cell) {
    if (cell.dataset.k !== undefined) return Number(cell.dataset.k);
    const text = cell.textContent.replaceAll(",", "");
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  }

  // A table that was moved to the side has more of it on the left, too.
  document.addEventListener("scroll", ({ target }) => {
    if (target.classList && target.classList.contains("scroll")) target.classList.toggle("moved", target.scrollLeft > 0);
  }, { capture: true, passive: true });

  // What the columns say is open on paper, also where a style sheet cannot open it.
  addEventListener("beforeprint", () => { for (const e of all("details.columns")) e.open = true; });

  // --- controls ---

  const dark = () => getComputedStyle(root).colorScheme === "dark" ||
    (getComputedStyle(root).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

  function theme(next) {
    if (next) root.dataset.theme = next;
    document.querySelector("[data-do=theme]").textContent = dark() ? "light" : "dark";
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());

  // A page from a file may have no storage.
  function remembered(next) {
    try {
      if (next) localStorage.setItem("ratelab-theme", next);
      return localStorage.getItem("ratelab-theme");
    } catch { return null; }
  }

  const controls = {
    all: () => change(new Set()),
    none: () => change(new Set(boxes.map((b) => b.dataset.n))),
    first: () => change(new Set(first)),
    others: (button) => others(button.closest(".chart")),
    theme: () => theme(remembered(dark() ? "light" : "dark") || (dark() ? "light" : "dark")),
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) {
      const row = event.target.closest(".key tbody tr"), chart = row && row.closest(".chart");
      if (row) { rest(chart, row.dataset.a, !row.classList.contains("rest")); drawn(chart); }
      return;
    }
    if (button.dataset.do) controls[button.dataset.do](button);
    else if (button.closest("thead")) sort(button);
  });
  document.addEventListener("change", (event) => {
    const n = event.target.dataset.n;
    if (n === undefined) return;
    const next = new Set(off);
    if (event.target.checked) next.delete(n); else next.add(n);
    change(next);
  });

  // --- at the start ---

  for (const e of all(".controls")) e.hidden = false;
  for (const th of all(".sorts thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    th.append(button);
  }
  for (const pad of all(".pad")) {
    pad.tabIndex = 0;
    pad.setAttribute("role", "slider");
    pad.setAttribute("aria-label", pad.firstElementChild.getAttribute("aria-label"));
    pad.setAttribute("aria-valuemin", "0");
    pad.setAttribute("aria-valuemax", pad.closest(".chart").dataset.last);
    pad.setAttribute("aria-valuenow", "0");
  }
  if (matchMedia("(max-width: 1099px)").matches) for (const e of all("details.controls")) e.open = false;
  const saved = remembered();
  theme(saved === "dark" || saved === "light" ? saved : undefined);
  const start = read();
  if (!same(off, first)) { show(); go(start); }
  else if (location.hash.includes("&")) go(start);
  performance.measure("ready", "script");
  root.dataset.ready = "";
})();
