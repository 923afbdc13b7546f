// The ladder diagram: time runs down, each packet is an arrow. Only what is in view is drawn.

const ladder = { rows: layoutRows([]), rowHeight: 26, lines: [], events: [], shown: [], tight: false };
const ROW = { LEAST: 3, LABELS: 13, LIFTED: 24, MOST: 48 };

/** Where on its way a lost packet ends. */
const LOST_AT = 0.62;

/** The vertical lines: both ends of a connection, or every address of the capture. */
function ladderLines(connection) {
  if (connection >= 0) {
    const { left, right } = data.connections[connection];
    return [left, right].map(([address, number]) => ({ address, sub: qp(number) }));
  }
  const addresses = [...new Set(data.connections.flatMap((c) => [c.left[0], c.right[0]]))];
  return addresses.map((address) => {
    const n = data.connections.filter((c) => c.left[0] === address || c.right[0] === address).length;
    return { address, sub: n === 1 ? "1 connection" : n + " connections" };
  });
}

function ladderShow(connection, shown) {
  ladderChoose(connection, shown);
  ladderSize();
}

function ladderChoose(connection, shown) {
  ladder.connection = connection;
  ladder.lines = ladderLines(connection);
  ladder.lineOf = new Map(ladder.lines.map((line, k) => [line.address, k]));
  ladder.events = ladderEvents(connection);
  ladder.shown = shown;
  ladderRows();
  ladder.states = connection >= 0 ? stateSpans(data.connections[connection]) : [];
}

/** Where the lines are near each other, texts reach from one to the other: as many rows to arrive in as to leave in. */
function ladderRows() {
  ladder.rows = layoutRows(ladder.shown, ladder.events, ladder.tight ? 1 : 0.5);
}

/** What ends do beside their packets, and at which line. */
function ladderEvents(connection) {
  const known = connection >= 0 && [data.connections[connection].left, data.connections[connection].right];
  return data.events
    .map(([time, before, address, number, kind, text, whole]) => {
      const side = known ? known.findIndex((end) => end[0] === address && (end[1] === number || end[1] < 0)) : (ladder.lineOf.get(address) ?? -1);
      return { time, before, line: side, kind, text, whole };
    })
    .filter((event) => event.line >= 0);
}

const SIGNS = { posted: "▸", completed: "✓", failed: "✗", state: "" };

function eventMark(event, y) {
  const { x } = ladder.lines[event.line];
  const left = event.line === 0;
  const way = left ? -1 : 1;
  const label = ladder.state > 40 ? cut(`${SIGNS[event.kind]} ${event.text}`.trim(), Math.floor((ladder.state - 18) / 6.6)) : SIGNS[event.kind];
  return `<g class="event e-${event.kind}"><title>${esc(event.whole)}</title><line x1="${x}" x2="${x + way * 8}" y1="${y}" y2="${y}"/><text x="${x + way * 12}" y="${y + 4}" text-anchor="${left ? "end" : "start"}">${esc(label)}</text></g>`;
}

const lineFrom = (i) => (ladder.connection >= 0 ? sides[i] : ladder.lineOf.get(fromEnd(i)[0]));
const lineTo = (i) => (ladder.connection >= 0 ? 1 - sides[i] : ladder.lineOf.get(toEnd(i)[0]));

/** Spans of states: side, its address, state, and from which to which packet. */
function stateSpans({ left, right, states }) {
  const spans = [];
  for (const [side, [address]] of [left, right].entries()) {
    let state = 0;
    let from = -1;
    for (const [of, packet, to] of states) {
      if (of !== side) continue;
      spans.push({ side, address, state, from, to: packet });
      [state, from] = [to, packet];
    }
    spans.push({ side, address, state, from, to: size });
  }
  return spans;
}

/** How long a packet that tells a state is on its way to the end whose state that is; 0 for its sender. */
const learning = (packet, address) => (packet >= 0 && packet < size && fromEnd(packet)[0] !== address ? (data.flight[packet] ?? 0) : 0);

/** Where the vertical lines stand in a drawing of this width. */
function ladderPlaces(width) {
  ladder.width = width;
  const narrow = ladder.width < 620;
  ladder.gutter = narrow ? 46 : 168;
  ladder.state = narrow ? 14 : ladder.events.length ? (width < 860 ? 124 : 172) : 96;
  const digits = size ? timeText(times[size - 1]).length : 0;
  if (ladder.events.length && !narrow) ladder.gutter = Math.max(128, 70 + 7.2 * digits);
  const from = ladder.gutter + ladder.state;
  // Not so wide that the eye loses the row.
  const to = Math.min(ladder.width - ladder.state - 8, from + Math.max(1000, 420 * (ladder.lines.length - 1)));
  const n = Math.max(2, ladder.lines.length);
  ladder.lines.forEach((line, k) => (line.x = from + ((to - from) * k) / (n - 1)));
  const tight = (to - from) / (n - 1) < 480;
  if (tight !== ladder.tight) {
    ladder.tight = tight;
    ladderRows();
  }
  return narrow;
}

function ladderSize() {
  const scroll = el("scroll");
  const narrow = ladderPlaces(scroll.clientWidth);
  el("tall").style.height = Math.ceil(ladder.rows.height * ladder.rowHeight) + "px";
  el("ends").innerHTML = ladder.lines
    .map((line, k) => {
      const at = k === 0 ? `left:${narrow ? 4 : line.x - 60}px;text-align:left` : k === ladder.lines.length - 1 ? `right:${narrow ? 4 : ladder.width - line.x - 60}px;text-align:right` : `left:${line.x}px;transform:translateX(-50%)`;
      return `<div class="end" style="${at}"><b>${esc(line.address)}</b><span>${esc(line.sub)}</span></div>`;
    })
    .join("");
  if (!narrow) el("ends").innerHTML += `<div class="unit">No.&emsp;time, ${unit.name}</div>`;
  ladderDraw();
  overviewDraw();
}

const yOf = (k) => ladder.rows.sentAt[k] * ladder.rowHeight;

function ladderDraw() {
  const scroll = el("scroll");
  const { rowHeight } = ladder;
  const top = scroll.scrollTop;
  const height = scroll.clientHeight;
  const drawing = el("drawing");
  drawing.setAttribute("width", ladder.width);
  drawing.setAttribute("height", height);
  const y0 = top / rowHeight - 1;
  const y1 = (top + height) / rowHeight + 1;
  drawing.innerHTML = ladderParts(y0, y1, top, height);
  overviewWindow();
}

/** What stands between two rows. */
function ladderParts(y0, y1, top, height) {
  const { rows } = ladder;
  const parts = [];
  for (const pause of rows.pauses) {
    if (pause.y >= y0 - 2 && pause.y <= y1) parts.push(pauseMark(pause, top));
  }
  for (let k = firstAtLeast(rows.reach, y0); k < rows.shown.length && rows.sentAt[k] <= y1; k++) {
    if (rows.arrivedAt[k] >= y0) parts.push(arrow(k, top));
  }
  parts.push(lifelines(top, height));
  ladder.events.forEach((event, k) => {
    if (rows.eventAt[k] >= y0 && rows.eventAt[k] <= y1) parts.push(eventMark(event, rows.eventAt[k] * ladder.rowHeight - top));
  });
  return parts.join("");
}

function lifelines(top, height) {
  const parts = ladder.lines.map((line) => `<line class="life" x1="${line.x}" x2="${line.x}" y1="0" y2="${height}"/>`);
  const { rows, rowHeight } = ladder;
  const place = (packet, address) => {
    const k = firstAtLeast(rows.shown, packet);
    // A message of the connection managers is not among these packets: it has told a state before or after them.
    if (k === rows.shown.length) return packet < size ? rows.height - 1 : rows.height;
    if (k === 0 && packet < rows.shown[0]) return 0;
    return rows.shown[k] === packet && learning(packet, address) ? rows.arrivedAt[k] : rows.sentAt[k] - 0.5;
  };
  for (const span of ladder.states) {
    const from = Math.max(-8, (span.from < 0 ? 0 : place(span.from, span.address)) * rowHeight - top);
    const to = Math.min(height + 8, place(span.to, span.address) * rowHeight - top);
    if (to <= from || to < 0 || from > height) continue;
    const [name, meaning] = data.states[span.state];
    const x = ladder.lines[span.side].x;
    parts.push(
      `<g class="state s${span.state}"><title>${esc(name + ": " + meaning)}</title><rect x="${x - 4}" y="${from}" width="8" height="${to - from}"/>`,
    );
    if (ladder.state > 40 && to - from > 14 && !ladder.events.length) {
      const at = Math.min(Math.max(from + 12, 14), to - 4);
      const [tx, anchor] = span.side ? [x + 10, "start"] : [x - 10, "end"];
      parts.push(`<text x="${tx}" y="${at}" text-anchor="${anchor}">${esc(name)}</text>`);
    }
    parts.push("</g>");
  }
  return parts.join("");
}

function pauseMark(pause, top) {
  const y = (pause.y + 0.6) * ladder.rowHeight - top;
  const from = ladder.lines[0].x;
  const to = ladder.lines[ladder.lines.length - 1].x;
  return `<g class="pause"><line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/><text x="${(from + to) / 2}" y="${y + 4}" text-anchor="middle">${esc(durationText(pause.ns))} pass</text></g>`;
}

/** A packet: its number and time at the left, the arrow, and what it is along the arrow. */
function arrow(k, top) {
  const { rows, rowHeight } = ladder;
  const i = rows.shown[k];
  const ya = yOf(k) - top;
  let yb = rows.arrivedAt[k] * rowHeight - top;
  const a = ladder.lines[lineFrom(i)].x;
  const b = ladder.lines[lineTo(i)].x;
  const lost = fates[i] === FATE.lost;
  const appeared = fates[i] === FATE.appeared;
  const loop = a === b;
  const way = loop ? 1 : Math.sign(b - a);
  const flying = fates[i] === FATE.flying;
  const tip = loop ? a + 60 : lost ? a + (b - a) * LOST_AT : flying ? a + (b - a) * 0.75 : b - way * 5;
  const tail = appeared ? a + (b - a) * 0.38 : a + way * 5;
  const classes = ["packet", "k-" + kindOf(i), lost ? "lost" : flying ? "flying" : "", i === ui.packet ? "chosen" : ""].join(" ").trim();
  const angle = (Math.atan2(yb - ya, Math.abs(b - a)) * 180) / Math.PI;
  if (lost) yb = ya + (yb - ya) * LOST_AT;
  const parts = [
    `<g class="${classes}" data-packet="${i + 1}" role="listitem" aria-label="${esc(spoken(i))}">`,
    `<rect class="row" x="0" y="${ya - rowHeight / 2}" width="${ladder.width}" height="${rowHeight}"/>`,
    `<line class="way" x1="${tail}" y1="${ya}" x2="${tip - (lost ? 0 : way * 3)}" y2="${yb}"/>`,
    head(i, tip, yb, way, angle * way, lost),
  ];
  if (rowHeight >= ROW.LABELS) parts.push(texts(i, ya, a, way, angle, Math.abs(b - a)));
  parts.push("</g>");
  return parts.join("");
}

function head(i, x, y, way, angle, lost) {
  if (lost) return `<path class="cross" d="M${x - 5} ${y - 5}l10 10m0 -10l-10 10"/>`;
  const turn = `transform="translate(${x} ${y}) rotate(${angle}) scale(${way} 1)"`;
  switch (kindOf(i)) {
    case "response":
    case "duplicate":
      return `<path class="open" d="M-7 -4.5L0 0L-7 4.5" ${turn}/>`;
    case "nak":
      return `<path class="full" d="M-9 -5h9v10h-9z" ${turn}/>`;
    case "rnr":
      return `<path class="open" d="M-8 -5v10M-3 -5v10" ${turn}/>`;
    case "cnp":
      return `<path class="full" d="M-10 0l5 -5l5 5l-5 5z" ${turn}/>`;
    case "damaged":
      return `<path class="open" d="M-9 -5l9 10m0 -10l-9 10" ${turn}/>`;
    default:
      return `<path class="full" d="M-9 -4.5L0 0L-9 4.5z" ${turn}/>`;
  }
}

function texts(i, y, a, way, angle, span) {
  const mid = y + 4;
  const narrow = ladder.gutter < 100;
  const number = `<text class="number" x="${narrow ? 40 : 52}" y="${mid}" text-anchor="end">${i + 1}</text>`;
  const time = narrow ? "" : `<text class="time" x="${ladder.gutter - 6}" y="${mid}" text-anchor="end">${timeText(times[i])}</text>`;
  const lost = fates[i] === FATE.lost;
  const lifted = lost && ladder.rowHeight >= ROW.LIFTED;
  const { label, pill, comment } = caption(i, lost && !lifted ? span * LOST_AT - 16 : span, narrow);
  const spans =
    `<tspan>${esc(label)}</tspan>` +
    (pill && `<tspan class="mark" dx="8">${esc(pill)}</tspan>`) +
    (comment && `<tspan class="comment" dx="8">${esc(comment)}</tspan>`);
  const [x, anchor] = way > 0 ? [a + 16, "start"] : [a - 16, "end"];
  const turn = angle > 0.5 ? ` transform="rotate(${angle * way} ${a} ${y})"` : "";
  return `${number}${time}<text class="label" x="${x}" y="${y - (lifted ? 8 : 4)}" text-anchor="${anchor}"${turn}>${spans}</text>`;
}

/** What stands along an arrow of this length, and what has no room there. */
function caption(i, span, narrow) {
  const mark = markText(i) || (kindOf(i) === "damaged" && hasHeaders(i) ? "ICRC " + ICRC[icrcs[i]] : "");
  const lost = fates[i] === FATE.lost && !data.comment[i]?.startsWith("lost") ? "lost" : "";
  const whole = labelOf(i);
  const bold = ["nak", "rnr"].includes(kindOf(i));
  const label = cut(whole, Math.floor((span - 30) / (bold ? 7.6 : 7.1)));
  const left = Math.floor((span - 40) / 6.7) - label.length;
  const both = [mark, lost].filter(Boolean).join(", ");
  const pill = both && !["NAK", "RNR", "CNP"].includes(mark) ? both : lost;
  const comment = data.comment[i] ?? "";
  const pillFits = left > pill.length;
  const commentFits = !narrow && left > comment.length + pill.length + 6;
  const omitted = [label !== whole && whole, !pillFits && pill, !commentFits && comment].filter(Boolean);
  return { label, pill: pillFits ? pill : "", comment: commentFits ? comment : "", omitted };
}

const cut = (text, length) => (text.length > length ? text.slice(0, Math.max(3, length - 1)) + "…" : text);

/** Scrolls so that a packet is in view. */
function ladderReveal(i) {
  const k = firstAtLeast(ladder.rows.shown, i);
  if (ladder.rows.shown[k] !== i) return;
  const scroll = el("scroll");
  const y = yOf(k);
  const margin = Math.min(80, scroll.clientHeight / 4);
  if (y < scroll.scrollTop + margin || y > scroll.scrollTop + scroll.clientHeight - margin) {
    scroll.scrollTop = y - scroll.clientHeight / 2;
  }
}

function ladderZoom(factor) {
  const scroll = el("scroll");
  const k = firstAtLeast(ladder.rows.shown, ui.packet);
  const chosen = ui.packet >= 0 && ladder.rows.shown[k] === ui.packet ? ladder.rows.sentAt[k] : -1;
  const middle = (scroll.scrollTop + scroll.clientHeight / 2) / ladder.rowHeight;
  const inView = chosen >= 0 && Math.abs(chosen - middle) * ladder.rowHeight < scroll.clientHeight / 2;
  const fixed = inView ? chosen : middle;
  const at = fixed * ladder.rowHeight - scroll.scrollTop;
  ladder.rowHeight = Math.min(ROW.MOST, Math.max(ROW.LEAST, ladder.rowHeight * factor));
  el("tall").style.height = Math.ceil(ladder.rows.height * ladder.rowHeight) + "px";
  scroll.scrollTop = fixed * ladder.rowHeight - at;
  ladderDraw();
}

// The strip at the right: the whole capture, with what is special in it.

function overviewDraw() {
  const canvas = el("overview");
  const height = canvas.clientHeight;
  const width = canvas.clientWidth;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  if (!width || !height) return;
  const g = canvas.getContext("2d", { willReadFrequently: true });
  g.scale(scale, scale);
  const { rows } = ladder;
  const style = getComputedStyle(document.body);
  const drawn = new Set();
  for (let k = 0; k < rows.shown.length; k++) {
    const i = rows.shown[k];
    const kind = fates[i] === FATE.lost ? "lost" : kindOf(i);
    if (["request", "response", "late", "cut"].includes(kind)) continue;
    const y = Math.floor((rows.sentAt[k] / rows.height) * height);
    const key = y + kind;
    if (drawn.has(key)) continue;
    drawn.add(key);
    g.fillStyle = style.getPropertyValue("--" + kind);
    g.fillRect(kind === "lost" || kind === "nak" ? 2 : width / 2, y, width / 2 - 2, 2);
  }
  ladder.overview = g.getImageData(0, 0, canvas.width, canvas.height);
  overviewWindow();
}

function overviewWindow() {
  const canvas = el("overview");
  if (!ladder.overview || !canvas.width || !canvas.height) return;
  const scroll = el("scroll");
  const g = canvas.getContext("2d");
  g.putImageData(ladder.overview, 0, 0);
  const all = scroll.scrollHeight || 1;
  const height = canvas.clientHeight;
  g.strokeStyle = getComputedStyle(document.body).getPropertyValue("--ink");
  g.lineWidth = 1;
  const from = (scroll.scrollTop / all) * height;
  g.strokeRect(0.5, from + 0.5, canvas.clientWidth - 1, Math.max(6, (scroll.clientHeight / all) * height) - 1);
}
