// What is chosen, where that is kept (in the address), and what keys and clicks do.

const usual = data.connections.length ? largestConnection() : -1;
const ui = { connection: usual, view: "ladder", packet: -1, filter: "", shown: [] };
const VIEWS = { ladder: ladderShow, sequence: sequenceShow, table: (_, shown) => tableShow(shown) };
const REVEAL = { ladder: ladderReveal, sequence: sequenceReveal, table: tableReveal };

// ---- what is shown

function choose() {
  let test = () => true;
  let problem = "";
  try {
    test = filterTest(ui.filter);
  } catch (notUnderstood) {
    problem = notUnderstood.message;
  }
  el("filter").setAttribute("aria-invalid", String(problem !== ""));
  const shown = [];
  let all = 0;
  for (let i = 0; i < size; i++) {
    if (ui.connection >= 0 && data.connection[i] !== ui.connection) continue;
    all++;
    if (test(i)) shown.push(i);
  }
  ui.shown = Int32Array.from(shown);
  const of = shown.length === all ? "" : countText(shown.length) + " of ";
  el("count").textContent = problem || of + countText(all) + " packets";
  drawLegend();
  draw();
}

/** Why there is nothing to see. */
function emptiness() {
  if (ui.shown.length || ui.filter) return ui.shown.length ? "" : "No packet here matches the filter.";
  const unread = data.files.find((f) => f.unread);
  if (unread) return unread.unread.replace(/^./, (c) => c.toUpperCase()) + ".";
  return data.files.some((f) => f.skippedFrames) ? "No packet of RoCEv2: nothing over UDP to port 4791 in what was captured." : "There are no packets.";
}

function draw() {
  el("nothing").textContent = emptiness();
  el("nothing").hidden = ui.shown.length > 0;
  for (const name of Object.keys(VIEWS)) {
    el(name).hidden = name !== ui.view;
    el("tab-" + name).setAttribute("aria-selected", String(name === ui.view));
  }
  VIEWS[ui.view](ui.connection, ui.shown);
}

function redraw() {
  if (ui.view === "ladder") ladderDraw();
  else if (ui.view === "table") tableDraw();
  else sequenceDraw();
}

function select(i, reveal = true) {
  const opened = ui.packet < 0 !== i < 0;
  ui.packet = i;
  el("said").textContent = i < 0 ? "" : spoken(i);
  detailShow(i);
  if (opened && ui.view !== "table") draw();
  if (i >= 0 && reveal) REVEAL[ui.view](i);
  redraw();
  keep();
}

/** To a packet, whatever connection or filter hides it. */
function goTo(i) {
  if (i < 0 || i >= size) return;
  if (firstAtLeastIs(ui.shown, i)) return select(i);
  ui.filter = el("filter").value = "";
  if (ui.connection >= 0) setConnection(data.connection[i]);
  else choose();
  select(i);
}

const firstAtLeastIs = (sorted, i) => sorted[firstAtLeast(sorted, i)] === i;

function setConnection(c) {
  ui.connection = c;
  el("connection").value = String(c);
  choose();
}

function step(by, wanted = () => true) {
  const n = ui.shown.length;
  let k = firstAtLeast(ui.shown, ui.packet);
  if (ui.packet < 0) k = by > 0 ? -1 : n;
  else if (ui.shown[k] !== ui.packet && by > 0) k--;
  for (k += by; k >= 0 && k < n; k += by) {
    if (wanted(ui.shown[k])) {
      select(ui.shown[k]);
      return true;
    }
  }
  return false;
}

const special = (i) => marks[i] !== 0 || fates[i] === FATE.lost || kindOf(i) === "damaged";

function find(by) {
  const sought = el("find").value.trim().toLowerCase();
  const found = !sought || step(by, (i) => (labelOf(i) + " " + markText(i) + " " + (data.comment[i] ?? "") + " " + (i + 1)).toLowerCase().includes(sought));
  el("find").setAttribute("aria-invalid", String(!found));
  if (!found) el("count").textContent = `not found ${by > 0 ? "from here on" : "up to here"}`;
}

function zoom(factor) {
  if (ui.view === "ladder") ladderZoom(factor);
  else if (ui.view === "sequence") plotZoom(factor);
}

// ---- the address

function keep() {
  const parts = [];
  if (ui.packet >= 0) parts.push("p=" + (ui.packet + 1));
  if (ui.view !== "ladder") parts.push("v=" + ui.view);
  if (ui.connection !== usual) parts.push("c=" + (ui.connection < 0 ? "all" : ui.connection + 1));
  if (ui.filter) parts.push("f=" + encodeURIComponent(ui.filter));
  history.replaceState(null, "", "#" + parts.join("&"));
}

function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (VIEWS[asked.get("v")]) ui.view = asked.get("v");
  else ui.view = "ladder";
  ui.filter = el("filter").value = asked.get("f") ?? "";
  const packet = Number(asked.get("p") ?? 0) - 1;
  const valid = Number.isInteger(packet) && packet >= 0 && packet < size;
  const c = asked.get("c");
  ui.connection = c === "all" ? -1 : c && data.connections[Number(c) - 1] ? Number(c) - 1 : valid ? data.connection[packet] : usual;
  if (ui.connection >= data.connections.length) ui.connection = -1;
  el("connection").value = String(ui.connection);
  choose();
  if (valid) goTo(packet);
  else select(-1);
}

// ---- what stands around the views

function drawHead() {
  const names = data.files.map((f) => f.name);
  document.title = names.join(" + ") + " – roce4j view";
  el("title").textContent = names.join(" + ");
  const lists = data.files.map((f) => {
    const name = data.files.length > 1 ? `<b>${esc(f.name)}</b> ` : "";
    const items = [[f.packets, "packets"], [f.icrcOk, "icrc ok"], [f.icrcBad, "icrc bad"], [f.malformed, "malformed"]];
    const more = [[f.truncated, "truncated"], [f.skippedFrames, "other frames"]].filter(([n]) => n);
    const bad = ([n, what]) => n && (what === "icrc bad" || what === "malformed");
    const total = ([n, what]) => `<b>${countText(n)}</b> ${what}`;
    const text = items.concat(more).map((one) => (bad(one) ? `<span class="bad"><a href="#c=all&amp;f=kind%3Ddamaged" title="Show them, of all connections">${total(one)}</a></span>` : `<span>${total(one)}</span>`));
    return `<li>${name}${text.join("")}${f.unread ? `<span class="bad">${esc(f.unread)}</span>` : ""}${f.damage ? `<span class="bad">damaged: ${esc(f.damage)}</span>` : ""}</li>`;
  });
  el("totals").innerHTML = lists.join("");
  const notes = el("notes");
  notes.hidden = !data.notes.length;
  notes.open = data.notes.length > 0;
  notes.querySelector("ul").innerHTML = data.notes.map(noteItem).join("");
  const several = data.connections.length > 1 || !data.connections.length;
  el("connection").innerHTML =
    data.connections.map((c, k) => `<option value="${k}">${esc((c.service + " " + endText(c.left) + " – " + endText(c.right)).trim())} (${countText(c.packets)})</option>`).join("") +
    (several ? `<option value="-1">All ${countText(data.connections.length)} connections (${countText(size)})</option>` : "");
}

/** A note that begins with its name, in ten columns of text, or a sentence. */
function noteItem(note) {
  const named = note.match(/^(\w+) *(?<=^.{10})([^]*)$/);
  return named ? `<li class="named"><b>${named[1]}</b> <span>${esc(named[2])}</span></li>` : `<li>${esc(note)}</li>`;
}

const LEGEND = [
  ["request", "request", "kind=request"],
  ["response", "response", "kind=response"],
  ["retransmission", "retransmission", "mark=retransmission"],
  ["gap", "after a gap", "mark=gap"],
  ["late", "late", "mark=late"],
  ["duplicate", "duplicate response", "mark=duplicate"],
  ["nak", "NAK", "mark=nak"],
  ["rnr", "RNR NAK", "mark=rnr"],
  ["cnp", "CNP", "mark=cnp"],
  ["lost", "lost", "fate=lost"],
  ["damaged", "ICRC bad, malformed", "kind=damaged"],
  ["cut", "cut by the capture", "kind=cut"],
];

function drawLegend() {
  const counts = {};
  for (let i = 0; i < size; i++) {
    if (ui.connection >= 0 && data.connection[i] !== ui.connection) continue;
    const kind = kindOf(i);
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (fates[i] === FATE.lost) counts.lost = (counts.lost ?? 0) + 1;
  }
  fill(el("legend"), LEGEND.map(([kind, text, filter]) => {
    const n = counts[kind] ?? 0;
    const pressed = filter && ui.filter === filter;
    return `<button data-filter="${esc(filter)}" aria-pressed="${pressed}"${n && filter ? "" : " disabled"} class="k-${kind === "lost" ? "request lost" : kind}${n ? "" : " none"}" data-kind="${kind}">${sample(kind)}${text} <b>${countText(n)}</b></button>`;
  }).join("") + stateLegend());
}

/** What the bars beside the ladder's lines, and along the plot, mean. */
function stateLegend() {
  const changes = ui.connection >= 0 ? data.connections[ui.connection].states : [];
  const states = [...new Set(changes.map(([, , state]) => state))].sort();
  if (!states.length || ui.view === "table") return "";
  return `<span class="bars">states, inferred from packets:${states.map((s) => ` <span class="state s${s}" title="${esc(data.states[s][1])}"><i></i>${esc(data.states[s][0])}</span>`).join("")}</span>`;
}

/** The arrow of a kind, as the ladder draws it. */
function sample(kind) {
  const heads = {
    response: '<path class="open" d="M29 3.5L36 8L29 12.5"/>',
    duplicate: '<path class="open" d="M29 3.5L36 8L29 12.5"/>',
    nak: '<path class="full" d="M27 3h9v10h-9z"/>',
    rnr: '<path class="open" d="M29 3v10M34 3v10"/>',
    cnp: '<path class="full" d="M26 8l5 -5l5 5l-5 5z"/>',
    damaged: '<path class="open" d="M27 3l9 10m0 -10l-9 10"/>',
    lost: '<path class="cross" d="M27 3l10 10m0 -10l-10 10"/>',
  };
  return `<svg width="40" height="16" class="packet" aria-hidden="true"><line class="way" x1="2" x2="${kind === "lost" ? 32 : 30}" y1="8" y2="8"/>${heads[kind] ?? '<path class="full" d="M27 3.5L36 8L27 12.5z"/>'}</svg>`;
}

const KEYS = [
  ["j k, ↓ ↑", "next, previous packet"],
  ["n, N", "next, previous packet with a mark, lost or damaged"],
  ["g, G", "first, last packet"],
  ["1 2 3", "ladder, sequence, table"],
  ["[ ]", "previous, next connection; a: all"],
  ["← →", "in the sequence view earlier, later; among the views the view beside"],
  ["f", "filter, in the words of roce4j inspect --filter; other words are sought in the text"],
  ["/, Enter", "find; Enter goes on, Shift-Enter back"],
  ["+ −", "zoom; in the sequence view 0 shows all"],
  ["r", "PSNs counted from the first, or as carried"],
  ["Esc", "leave a field; close what is open"],
];

function help() {
  el("keys").innerHTML = `<h2>Keys</h2><dl>${KEYS.map(([k, what]) => `<dt>${k.replace(/[^\s,]+/g, "<kbd>$&</kbd>")}</dt><dd>${esc(what)}</dd>`).join("")}</dl><p>The address names the packet: <code>#p=12</code> leads to packet 12, also from other pages.</p><form method="dialog"><button autofocus>Close</button></form>`;
  el("keys").showModal();
}

// ---- events

function togglePsn() {
  relativePsn = !relativePsn;
  el("psn").setAttribute("aria-pressed", String(relativePsn));
  draw();
}

const keyActions = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  n: () => step(1, special), N: () => step(-1, special),
  g: () => ui.shown.length && select(ui.shown[0]), G: () => ui.shown.length && select(ui.shown[ui.shown.length - 1]),
  1: () => setView("ladder"), 2: () => setView("sequence"), 3: () => setView("table"),
  "[": () => nextConnection(-1), "]": () => nextConnection(1), a: () => data.connections.length > 1 && (setConnection(-1), keep()),
  f: () => el("filter").focus(), "/": () => el("find").focus(),
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => ui.view === "sequence" && plotReset(),
  r: togglePsn, "?": help, Escape: () => select(-1),
};

function nextConnection(by) {
  const n = data.connections.length;
  if (!n) return;
  setConnection(ui.connection < 0 && by < 0 ? n - 1 : (ui.connection + by + n) % n); // all stand before the first, and behind the last
  keep();
}

/** What the keys of scrolling and the focus that has lost its place go to. */
const panel = () => el({ ladder: "scroll", sequence: "points", table: "table" }[ui.view]);

/** Left and right, where the browser has no meaning for them: whether they had one. */
function sideways(by, from) {
  if (from.matches("[role=tab]")) {
    const names = Object.keys(VIEWS);
    setView(names[(names.indexOf(ui.view) + by + names.length) % names.length]);
    el("tab-" + ui.view).focus();
  } else if (ui.view === "sequence") plotMove(-80 * by);
  else return false;
  return true;
}

function setView(name) {
  ui.view = name;
  drawLegend();
  draw();
  if (ui.packet >= 0) REVEAL[name](ui.packet);
  redraw();
  keep();
}

function wire() {
  const perFrame = (action) => {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        action();
      });
    };
  };
  document.addEventListener("keydown", (e) => {
    if (e.target.matches("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey || el("keys").open) {
      if (e.key === "Escape" && e.target.matches("input")) {
        e.preventDefault(); // a search field would lose its words, and the filter would stay
        panel().focus();
      }
      return;
    }
    if (["PageDown", "PageUp", "Home", "End"].includes(e.key) && e.target === document.body) panel().focus();
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (by && sideways(by, e.target)) e.preventDefault();
    const action = keyActions[e.key];
    if (action) {
      e.preventDefault();
      action();
    }
  });
  document.addEventListener("click", (e) => {
    const goto = e.target.closest("[data-goto]");
    const packet = e.target.closest("[data-packet]");
    if (goto) {
      e.preventDefault();
      goTo(Number(goto.dataset.goto));
    } else if (packet) select(Number(packet.dataset.packet) - 1, false);
    else if (e.target.closest("#close")) select(-1);
    const chip = e.target.closest("[data-filter]");
    if (chip) {
      setFilter(ui.filter === chip.dataset.filter ? "" : chip.dataset.filter);
    }
    const side = e.target.closest("[data-side]");
    if (side) {
      plot.side = Number(side.dataset.side);
      draw();
    }
    if (e.target.closest("#order")) {
      plot.order = !plot.order;
      draw();
    }
    const tab = e.target.closest("[data-view]");
    if (tab) setView(tab.dataset.view);
  });
  el("scroll").addEventListener("scroll", perFrame(ladderDraw), { passive: true });
  el("table").addEventListener("scroll", perFrame(tableDraw), { passive: true });
  el("connection").addEventListener("change", (e) => {
    setConnection(Number(e.target.value));
    keep();
  });
  let typing;
  el("filter").addEventListener("input", (e) => {
    clearTimeout(typing);
    typing = setTimeout(() => setFilter(e.target.value), 150);
  });
  el("find").addEventListener("keydown", (e) => {
    if (e.key === "Enter") find(e.shiftKey ? -1 : 1);
  });
  el("smaller").addEventListener("click", () => zoom(0.8));
  el("larger").addEventListener("click", () => zoom(1.25));
  el("psn").addEventListener("click", togglePsn);
  el("picture").addEventListener("click", savePicture);
  el("help").addEventListener("click", help);
  new ResizeObserver(perFrame(() => ui.view === "ladder" ? ladderSize() : redraw())).observe(document.querySelector("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("hashchange", readAddress);
  overviewEvents();
  plotEvents();
}

function setFilter(text) {
  ui.filter = text.trim();
  if (el("filter").value.trim() !== ui.filter) el("filter").value = ui.filter;
  choose();
  if (ui.packet >= 0) REVEAL[ui.view](ui.packet);
  keep();
}

function overviewEvents() {
  const canvas = el("overview");
  const go = (e) => {
    const part = (e.clientY - canvas.getBoundingClientRect().top) / canvas.clientHeight;
    const scroll = el("scroll");
    scroll.scrollTop = part * scroll.scrollHeight - scroll.clientHeight / 2;
  };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    go(e);
  });
  canvas.addEventListener("pointermove", (e) => e.buttons && go(e));
}

function plotEvents() {
  const canvas = el("points");
  const at = (e) => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  let down = null;
  let moved = false;
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) plotMove(-(e.deltaX || e.deltaY));
    else plotZoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, at(e)[0]);
  });
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    [down, moved] = [at(e)[0], false];
  });
  canvas.addEventListener("pointermove", (e) => {
    const [x, y] = at(e);
    if (down !== null && Math.abs(x - down) > 2) {
      plotMove(x - down);
      [down, moved] = [x, true];
    }
    const i = down === null && plot.points.length ? nearest(x, y) : -1;
    el("tip").hidden = i < 0;
    if (i >= 0) {
      el("tip").textContent = `${i + 1}: ${labelOf(i)}${markText(i) ? ", " + markText(i) : ""}${fates[i] === FATE.lost ? ", lost" : ""}`;
      el("tip").style.left = Math.min(x + 12, el("plot").clientWidth - 260) + "px";
      el("tip").style.top = y + 14 + "px";
    }
  });
  canvas.addEventListener("pointerup", (e) => {
    const i = moved ? -1 : nearest(...at(e));
    down = null;
    if (i >= 0) select(i, false);
  });
  canvas.addEventListener("dblclick", plotReset);
}

drawHead();
wire();
readAddress();
