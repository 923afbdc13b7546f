// The words of `roce4j inspect --filter`: FIELD=VALUE, FIELD!=VALUE or FIELD, all of which must hold, and fields that only the
// page has: frame, fate, kind. Other text is sought in what is written beside the arrow.

const plainFields = {
  number: (i) => i + 1,
  frame: (i) => framesOf(i),
  time: (i) => Number((times[i] / 1e9).toFixed(9)),
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

/** The value of a field of a connection manager's message such as `cm.qpn`; null if no message has it. */
function messageField(name) {
  if (name === "message") return (i) => (data.message[i] === undefined ? undefined : messageOf(i)[1][0]);
  const fieldsOf = (part) => data.messages[part].fields.filter((f) => f[0] === name && name !== "reserved");
  if (!Object.keys(data.messages).some((part) => fieldsOf(part).length)) return null;
  return (i) => {
    // The header of all messages comes first and is asked last: a message has a status of its own.
    for (const [part, at] of messageOf(i).reverse()) {
      const fields = fieldsOf(part);
      if (fields.length) return messageValue(at, fields);
    }
    return undefined;
  };
}

function messageValue(at, fields) {
  const [, , first, width, format] = fields[0];
  if (format === "gid") return valueText(at, fields[0]);
  if (format === "data") return Array.from(bytes.slice(at + first / 8, at + (first + width) / 8), (b) => b.toString(16).padStart(2, "0")).join("");
  const value = fields.reduce((sum, f) => (sum << BigInt(f[3])) | bitsAt(at, f[2], f[3]), 0n);
  return format === "flag" ? value === 1n : exact(value);
}

/** The value of a field such as `reth.length`, or undefined. */
function extensionField(key) {
  if (key.startsWith("cm.")) return messageField(key.slice(3));
  const [header, name] = key.split(".");
  const known = Object.keys(data.headers).find((h) => h.replace(/_/g, "").toLowerCase() === header.toLowerCase());
  const field = known && data.headers[known].fields.find((f) => f[0] === name);
  if (!field) return null;
  return (i) => {
    const at = known === "BTH" && hasHeaders(i) ? bthAt(i) : headerAt(i, known);
    return at < 0 ? undefined : exact(bitsAt(at, field[2], field[3]));
  };
}

/** A number, or a BigInt where a number would lose digits. */
const exact = (value) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);
const numeric = (field) => typeof field === "number" || typeof field === "bigint";

const NUMBERS = ["number", "time", "qpn", "psn", "pkey", "payload", "relativePsn", "gap"];
const FLAG = ["true", "false"];
const CHOICES = {
  ackReq: FLAG, solicited: FLAG, fecn: FLAG, becn: FLAG,
  icrc: ICRC, mark: data.marks, fate: data.fates, kind: [...data.marks, "request", "response", "damaged", "cut"],
};

const isNumber = (text) => /^(-?\d+(\.\d+)?|0x[0-9a-f]+)$/i.test(text);
const numberOf = (text) => (text.includes(".") ? Number(text) : BigInt(text));

/** The test of one value; what the field can never have is refused, as `inspect` does. */
function valueTest(key, word, text) {
  const range = text.split("..");
  if (range.length === 2 && (NUMBERS.includes(key) || range.every(isNumber))) {
    if (!range.every(isNumber)) throw new Error(`${word}: give a number, or a range such as 10..20`);
    const [least, most] = range.map(numberOf);
    if (least > most) throw new Error(`${word}: the range ends before it begins`);
    return (field) => numeric(field) && field >= least && field <= most;
  }
  if (NUMBERS.includes(key) && !isNumber(text)) throw new Error(`${word}: give a number, or a range such as 10..20`);
  const number = isNumber(text) ? numberOf(text) : NaN;
  const pattern = new RegExp("^" + text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*") + "$", "i");
  const choices = CHOICES[key];
  if (choices && !choices.some((choice) => pattern.test(choice))) throw new Error(`${word} is never so; there are: ${choices.filter(Boolean).join(" ")}`);
  return (field) => (numeric(field) ? field == number : pattern.test(String(field)));
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
  const values = parts[3].split(",").map((text) => valueTest(key, word, text));
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
