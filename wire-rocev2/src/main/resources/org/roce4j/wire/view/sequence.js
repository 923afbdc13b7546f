// Sequence numbers over time, as tcptrace draws them: every request at its PSN, what has been sent and what is acknowledged as
// two staircases, the window between them, and the states of both queue pairs above and below.

const plot = { side: 0, points: [], x: null, order: false, paper: false };
const MARGIN = { left: 62, right: 14, top: 34, bottom: 52 };
const BAND = 14;

function sequenceShow(connection, shown) {
  const c = connection >= 0 ? connection : ui.packet >= 0 ? data.connection[ui.packet] : largestConnection();
  const asked = (i) => data.psn[i] !== null && data.connection[i] === c;
  const counts = [0, 0];
  for (const i of shown) if (asked(i) && isRequest(i)) counts[sides[i]]++;
  if (!counts[plot.side] && counts[1 - plot.side]) plot.side = 1 - plot.side;
  plot.connection = c;
  plot.points = shown.filter((i) => asked(i) && isRequest(i) === (sides[i] === plot.side));
  plot.spans = data.connections[c] ? stateSpans(data.connections[c]) : [];
  plot.all = null;
  const ends = data.connections[c] ? [data.connections[c].left, data.connections[c].right] : [];
  fill(
    el("sides"),
    ends.map((end, s) => `<button data-side="${s}" aria-pressed="${s === plot.side}"${counts[s] ? "" : " disabled"}>Requests of ${esc(end[0])} <small>${countText(counts[s])}</small></button>`).join("") +
    `<button id="order" aria-pressed="${plot.order}" title="One step for each packet instead of true time">Equal steps</button>` +
    `<span class="hint">wheel or + − zooms, dragging moves, double-click shows all</span>`,
  );
  plotReset();
}

/** The connection with the most packets; one of the connection manager only where there is no other. */
function largestConnection() {
  const weight = (c) => c.packets - (c.left[1] === 1 ? size : 0);
  return data.connections.reduce((best, c, k) => (weight(c) > weight(data.connections[best]) ? k : best), 0);
}

const plotX = (k) => (plot.order ? k : times[plot.points[k]]);

function plotReset() {
  const n = plot.points.length;
  const last = n ? plotX(n - 1) : 1;
  const first = n ? plotX(0) : 0;
  const pad = (last - first) * 0.02 || 1;
  plot.x = [first - pad, last + pad];
  sequenceDraw();
}

function plotColumn() {
  if (!plot.all) plot.all = Float64Array.from(plot.points, (_, k) => plotX(k));
  return plot.all;
}

function sequenceDraw() {
  const canvas = el("points");
  if (el("sequence").hidden) return;
  const width = el("plot").clientWidth;
  const height = el("plot").clientHeight;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  // Paper is light: the first rule of the style holds its colours.
  const css = plot.paper ? document.styleSheets[0].cssRules[0].style : getComputedStyle(document.body);
  const colours = {}; // asking the style for each of 100,000 points takes a second
  const colour = (name) => (colours[name] ??= css.getPropertyValue("--" + name).trim());
  g.font = "12px system-ui, sans-serif";
  g.fillStyle = colour("bg");
  g.fillRect(0, 0, width, height);
  if (!plot.points.length) {
    g.fillStyle = colour("muted");
    g.fillText("No packets with a known PSN: datagrams, or nothing that the filter leaves.", MARGIN.left, 60);
    return;
  }
  const column = plotColumn();
  const from = Math.max(0, firstAtLeast(column, plot.x[0]) - 1);
  const to = Math.min(column.length, firstAtLeast(column, plot.x[1]) + 1);
  let low = Infinity;
  let high = -Infinity;
  for (let k = from; k < to; k++) {
    const i = plot.points[k];
    low = Math.min(low, data.psn[i], data.oldest[i]);
    high = Math.max(high, data.psn[i] + 1, data.next[i]);
  }
  const pad = Math.max(1, (high - low) * 0.04);
  plot.y = [low - pad, high + pad];
  const X = (x) => MARGIN.left + ((x - plot.x[0]) / (plot.x[1] - plot.x[0])) * (width - MARGIN.left - MARGIN.right);
  const Y = (y) => height - MARGIN.bottom - ((y - plot.y[0]) / (plot.y[1] - plot.y[0])) * (height - MARGIN.top - MARGIN.bottom);
  Object.assign(plot, { X, Y, from, to });
  axes(g, width, height, colour);
  g.save();
  g.beginPath();
  g.rect(MARGIN.left, MARGIN.top - 2, width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom + 4);
  g.clip();
  windowArea(g, colour);
  const drawn = new Set();
  for (let k = from; k < to; k++) point(g, k, colour, drawn);
  g.restore();
  bands(g, width, height, colour);
}

function axes(g, width, height, colour) {
  g.strokeStyle = colour("grid");
  g.fillStyle = colour("muted");
  g.lineWidth = 1;
  const yStep = niceStep((plot.y[1] - plot.y[0]) / Math.max(2, height / 70), true);
  g.textAlign = "right";
  for (let y = Math.ceil(plot.y[0] / yStep) * yStep; y <= plot.y[1]; y += yStep) {
    g.beginPath();
    g.moveTo(MARGIN.left, plot.Y(y) + 0.5);
    g.lineTo(width - MARGIN.right, plot.Y(y) + 0.5);
    g.stroke();
    if (plot.Y(y) > MARGIN.top + 12 && plot.Y(y) < height - MARGIN.bottom - 6) g.fillText((y < 0 ? "" : "+") + y, MARGIN.left - 8, plot.Y(y) + 4);
  }
  g.textAlign = "center";
  const xStep = niceStep((plot.x[1] - plot.x[0]) / Math.max(2, width / 120), plot.order);
  for (let x = Math.ceil(plot.x[0] / xStep) * xStep; x <= plot.x[1]; x += xStep) {
    g.beginPath();
    g.moveTo(plot.X(x) + 0.5, MARGIN.top);
    g.lineTo(plot.X(x) + 0.5, height - MARGIN.bottom);
    g.stroke();
    const text = plot.order ? (plot.points[x] === undefined ? "" : "#" + (plot.points[x] + 1)) : String(+(x / unit.ns).toPrecision(9));
    g.fillText(text, plot.X(x), height - MARGIN.bottom + 34);
  }
  g.textAlign = "left";
  g.fillText("PSN from the first", 8, 14);
  g.textAlign = "right";
  g.fillText(plot.order ? "packet" : "time, " + unit.name, width - MARGIN.right, height - 4);
}

function niceStep(raw, whole) {
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  return whole ? Math.max(1, Math.round(step)) : step;
}

/** Between what is acknowledged and what has been sent. */
function windowArea(g, colour) {
  const stairs = (value) => {
    const path = [];
    let last = null;
    for (let k = plot.from; k < plot.to; k++) {
      const x = plot.X(plotX(k));
      const y = plot.Y(value(plot.points[k]));
      if (last !== null) path.push([x, last]);
      path.push([x, y]);
      last = y;
    }
    return path;
  };
  const sent = stairs((i) => data.next[i]);
  const acknowledged = stairs((i) => data.oldest[i]);
  g.beginPath();
  sent.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
  acknowledged.reverse().forEach(([x, y]) => g.lineTo(x, y));
  g.fillStyle = colour("window");
  g.fill();
  for (const [path, name] of [[sent, "request"], [acknowledged, "response"]]) {
    g.beginPath();
    path.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.strokeStyle = colour(name);
    g.lineWidth = 1;
    g.stroke();
  }
}

/** Draws a point, unless one like it stands on its pixel. */
function point(g, k, colour, drawn) {
  const i = plot.points[k];
  const kind = kindOf(i);
  const x = plot.X(plotX(k));
  const psn = data.psn[i];
  const y = plot.Y(psn);
  // A READ takes the PSNs of its responses, a retransmission only what is asked for again.
  const end = !marks[i] && opcodeOf(i)[OP.NAME].includes("READ_REQUEST") ? data.next[i] : psn + 1;
  const top = isRequest(i) ? plot.Y(end) : y;
  const height = Math.max(4, y - top);
  const place = `${Math.round(x)} ${Math.round(y)} ${Math.round(height)} ${kind} ${fates[i]}`;
  if (i !== ui.packet && drawn.has(place)) return;
  drawn.add(place);
  g.fillStyle = g.strokeStyle = colour(kind);
  g.lineWidth = 1.5;
  if (i === ui.packet) {
    g.save();
    g.fillStyle = colour("chosen");
    g.beginPath();
    g.arc(x, y - height / 2, 9, 0, 7);
    g.fill();
    g.restore();
  }
  if (fates[i] === FATE.lost) cross(g, x, y - height / 2, 5, colour("lost"));
  else if (kind === "nak") g.fillRect(x - 4, y - 4, 8, 8);
  else if (kind === "rnr") {
    g.fillRect(x - 4, y - 5, 3, 10);
    g.fillRect(x + 1, y - 5, 3, 10);
  } else if (kind === "retransmission" || kind === "late") diamond(g, x, y - height / 2, 5, kind === "late");
  else if (kind === "duplicate") {
    g.beginPath();
    g.moveTo(x - 5, y + 4);
    g.lineTo(x + 5, y + 4);
    g.lineTo(x, y - 5);
    g.closePath();
    g.stroke();
  } else if (isRequest(i)) g.fillRect(x - 1.5, y - height, 3, height);
  else {
    g.beginPath();
    g.arc(x, plot.Y(psn + 1), 2.5, 0, 7);
    g.stroke();
  }
}

function cross(g, x, y, r, colour) {
  g.strokeStyle = colour;
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(x - r, y - r);
  g.lineTo(x + r, y + r);
  g.moveTo(x + r, y - r);
  g.lineTo(x - r, y + r);
  g.stroke();
}

function diamond(g, x, y, r, hollow) {
  g.beginPath();
  g.moveTo(x, y - r);
  g.lineTo(x + r, y);
  g.lineTo(x, y + r);
  g.lineTo(x - r, y);
  g.closePath();
  if (hollow) g.stroke();
  else g.fill();
}

/** The states of both ends along the axis: the requester's below the points, the responder's under it. */
function bands(g, width, height, colour) {
  const place = (packet, address) => {
    if (packet < 0) return MARGIN.left;
    const k = firstAtLeast(plot.points, packet);
    if (packet >= size) return width - MARGIN.right;
    return plot.order ? plot.X(k) : plot.X(times[packet] + learning(packet, address));
  };
  g.textAlign = "left";
  for (const span of plot.spans) {
    const from = Math.max(MARGIN.left, place(span.from, span.address));
    const to = Math.min(width - MARGIN.right, place(span.to, span.address));
    if (to <= from) continue;
    const y = span.side === 0 ? MARGIN.top - BAND - 2 : height - MARGIN.bottom + 4;
    g.fillStyle = colour("state" + span.state);
    g.fillRect(from, y, to - from, BAND);
    const name = data.states[span.state][0];
    if (g.measureText(name).width + 8 < to - from) {
      g.fillStyle = colour("stateText");
      g.fillText(name, from + 4, y + 11);
    }
  }
  g.fillStyle = colour("muted");
  g.textAlign = "right";
  g.fillText("left", MARGIN.left - 8, MARGIN.top - 5);
  g.fillText("right", MARGIN.left - 8, height - MARGIN.bottom + 15);
}

/** The packet nearest to a place of the plot, within reach; else -1. */
function nearest(px, py) {
  let best = -1;
  let distance = 20 * 20;
  for (let k = plot.from; k < plot.to; k++) {
    const i = plot.points[k];
    const dx = plot.X(plotX(k)) - px;
    if (Math.abs(dx) > 20) continue;
    const dy = plot.Y(data.psn[i] + (isRequest(i) ? 0.5 : 1)) - py;
    if (dx * dx + dy * dy < distance) {
      distance = dx * dx + dy * dy;
      best = i;
    }
  }
  return best;
}

/** Not so narrow that numbers end, which would leave no room for a grid, nor much wider than all points. */
function plotSpan(wanted) {
  const n = plot.points.length;
  const last = n ? plotX(n - 1) : 0;
  return Math.max(plot.order ? 2 : 10, last * 1e-12, Math.min(wanted, 4 * last));
}

function plotZoom(factor, px) {
  const width = el("plot").clientWidth - MARGIN.left - MARGIN.right;
  const part = px === undefined ? 0.5 : Math.min(1, Math.max(0, (px - MARGIN.left) / width));
  const fixed = plot.x[0] + (plot.x[1] - plot.x[0]) * part;
  const span = plotSpan((plot.x[1] - plot.x[0]) / factor);
  plot.x = [fixed - span * part, fixed + span * (1 - part)];
  sequenceDraw();
}

function plotMove(pixels) {
  const width = el("plot").clientWidth - MARGIN.left - MARGIN.right;
  const by = (pixels / width) * (plot.x[1] - plot.x[0]);
  plot.x = [plot.x[0] - by, plot.x[1] - by];
  sequenceDraw();
}

function sequenceReveal(i) {
  const k = firstAtLeast(plot.points, i);
  if (plot.points[k] !== i) return sequenceDraw();
  const x = plotX(k);
  const span = plot.x[1] - plot.x[0];
  if (x < plot.x[0] || x > plot.x[1]) plot.x = [x - span / 2, x + span / 2];
  sequenceDraw();
}
