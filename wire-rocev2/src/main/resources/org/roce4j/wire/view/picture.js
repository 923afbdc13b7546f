// The ladder as a picture of its own: an SVG file that needs neither this page nor a script, light or dark as its reader prefers.

/** The ladder as it is chosen now. */
function ladderPicture() {
  return asPicture((width) => drawnPicture(width, 0, ladder.rows.height));
}

/** With the places of a picture instead of those of the screen. */
function asPicture(draw) {
  const width = ladder.events.length ? 880 : 760;
  const before = ladder.width;
  const zoom = ladder.rowHeight;
  ladder.rowHeight = 26;
  ladderPlaces(width);
  const drawn = draw(width);
  ladder.rowHeight = zoom;
  ladderPlaces(before);
  return drawn;
}

function drawnPicture(width, from, to) {
  const head = 44;
  const height = Math.ceil((to - from) * ladder.rowHeight);
  const ends = ladder.lines.map((line, k) => pictureEnd(line, k === 0 ? "start" : k === ladder.lines.length - 1 ? "end" : "middle"));
  const drawing = ladderParts(from - 1, to + 1, from * ladder.rowHeight, height);
  const title = document.title.replace(/ – roce4j view$/, "");
  return (
    `<svg xmlns="${el("drawing").namespaceURI}" viewBox="0 0 ${width} ${height + head}" width="${width}" height="${height + head}" role="img">\n` +
    `<title>${esc(title)}</title>\n<style>\n${pictureStyle()}\n</style>\n` +
    `<rect width="100%" height="100%" fill="var(--bg)"/>\n${ends.join("\n")}\n` +
    `<svg y="${head}" width="${width}" height="${height}">\n${pretty(drawing)}\n</svg>\n</svg>\n`
  );
}

function pictureEnd(line, anchor) {
  const x = anchor === "start" ? line.x - 60 : anchor === "end" ? line.x + 60 : line.x;
  return `<text class="end" x="${x}" y="18" text-anchor="${anchor}"><tspan font-weight="600">${esc(line.address)}</tspan><tspan class="sub" x="${x}" dy="17">${esc(line.sub)}</tspan></text>`;
}

/** An element a line, and no more digits than the eye sees: so that changes of a picture can be read. */
const pretty = (svg) =>
  svg
    .replace(/<[^>]*>/g, (tag) => tag.replace(/-?\d+\.\d{3,}/g, (number) => String(+(+number).toFixed(2))))
    .replace(/ role="listitem"/g, "")
    .replace(/(<(g|rect|line|path|text)[ >])/g, "\n$1")
    .trim();

/** Of the page's style what the drawing needs; the same words in every browser. */
function pictureStyle() {
  const style = document.querySelector("style").textContent;
  const colours = style.slice(style.indexOf(":root"), style.indexOf("* {")).trim();
  const rules = style.split("\n").filter((rule) => /^(\.life|\.state|\.event|\.e-|\.pause|\.packet|\.way|\.full|\.open|\.cross|\.k-|\[class)/.test(rule) && !rule.includes(":hover"));
  const own = ['text { font-family: system-ui, "Liberation Sans", sans-serif; font-size: 13px; }', ".end { fill: var(--ink); }", ".end .sub { fill: var(--muted); font-size: 12.5px; }"];
  return [colours, ...own, ...rules].join("\n");
}

function savePicture() {
  if (ui.view !== "ladder") ladderChoose(ui.connection, ui.shown);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([ladderPicture()], { type: "image/svg+xml" }));
  link.download = (data.files[0]?.name ?? "packets").replace(/\.\w+$/, "") + ".svg";
  link.click();
  URL.revokeObjectURL(link.href);
}
