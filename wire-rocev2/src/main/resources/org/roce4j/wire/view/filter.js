// The words of `roce4j inspect --filter`: FIELD=VALUE, FIELD!=VALUE or FIELD, all of which must hold, and fields that only the
// page has: frame, fate, kind. Other text is sought in what is written beside the arrow.

const plainFields = {
  number: (i) => i + 1,
  frame: (i) => framesOf(i),
  time: (i) => (times[i] / 1e9).toFixed(9),
  source: (i) => fromEnd(i)[0],
  destination: (i) => toEnd(i)[0],
  icrc: (i) => ICRC[icrcs[i]],
  service: (i) => (hasHeaders(i) ? opcodeOf(i)[OP.SERVICE] : undefined),
  opcode: (i) => (hasHeaders(i) ? opcodeOf(i)[OP.NAME] : undefined),
  qpn: (i) => (hasHeaders(i) ? destQpOf(i) : undefined),
  psn: (i) => (hasHeaders(i) ? psnOf(i) : undefined),
  payload: (i) => (hasHeaders(i) ? data.payload[i] : undefined),
  relativePsn: (i) => data.psn[i] ?? undefined,
  mark: (i) => data.marks[marks[i]],
  gap: (i) => data.gap[i],
  kind: (i) => kindOf(i),
  fate: (i) => data.fates[fates[i]],
  comment: (i) => data.comment[i],
};
for (const key of ["ackReq", "solicited", "fecn", "becn", "pkey"]) {
  const field = data.headers.BTH.fields.find((f) => f[0] === key);
  plainFields[key] = (i) => {
    if (!hasHeaders(i)) return undefined;
    const value = Number(bitsAt(bthAt(i), field[2], field[3]));
    return field[4] === "flag" ? value === 1 : value;
  };
}

/** The value of a field such as `reth.length`, or undefined. */
function extensionField(key) {
  const [header, name] = key.split(".");
  const known = Object.keys(data.headers).find((h) => h.replace(/_/g, "").toLowerCase() === header.toLowerCase());
  const field = known && data.headers[known].fields.find((f) => f[0] === name);
  if (!field) return null;
  return (i) => {
    const at = known === "BTH" && hasHeaders(i) ? bthAt(i) : headerAt(i, known);
    return at < 0 ? undefined : Number(bitsAt(at, field[2], field[3]));
  };
}

function valueTest(text) {
  const range = text.match(/^(-?\d+|0x[0-9a-f]+)\.\.(-?\d+|0x[0-9a-f]+)$/i);
  if (range) {
    const [least, most] = [Number(range[1]), Number(range[2])];
    return (field) => typeof field === "number" && field >= least && field <= most;
  }
  const number = /^(-?\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : NaN;
  const pattern = new RegExp("^" + text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*") + "$", "i");
  return (field) => (typeof field === "number" ? field === number : pattern.test(String(field)));
}

function wordTest(word) {
  const parts = word.match(/^([A-Za-z][\w.]*?)(!?=)(.*)$/);
  const key = parts ? parts[1] : word;
  const field = plainFields[key] ?? (key.includes(".") ? extensionField(key) : null);
  if (!parts && !field) {
    const sought = word.toLowerCase();
    return (i) => (labelOf(i) + " " + markText(i) + " " + (data.comment[i] ?? "")).toLowerCase().includes(sought);
  }
  if (!field) throw new Error(`“${key}” names no field`);
  if (!parts) return (i) => ![undefined, "", false].includes(field(i));
  const values = parts[3].split(",").map(valueTest);
  return (i) => {
    const value = field(i);
    return value !== undefined && values.some((test) => test(value)) === (parts[2] === "=");
  };
}

/** The test that a filter's text describes; throws what is not understood. */
function filterTest(text) {
  const words = text.trim().split(/\s+/).filter(Boolean).map(wordTest);
  return (i) => words.every((word) => word(i));
}
