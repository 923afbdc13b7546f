// The data of the page: columns of packets, and the bytes of their headers, from which fields are read.

const data = JSON.parse(document.getElementById("data").textContent);
const size = data.size;

const MARK = Object.fromEntries(data.marks.map((word, i) => [word, i]));
const FATE = Object.fromEntries(data.fates.map((word, i) => [word, i]));
const ICRC = ["ok", "bad", "unknown"];

const column = (letters) => Uint8Array.from({ length: size }, (_, i) => letters.charCodeAt(i) - 48);
const marks = column(data.mark);
const fates = column(data.fate);
const icrcs = column(data.icrc);
const sides = column(data.side);

/** Nanoseconds since the first packet. */
const times = new Float64Array(size);
for (let i = 0, at = 0; i < size; i++) times[i] = at += data.time[i];

const bytes = (() => {
  const text = atob(data.bytes);
  const all = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) all[i] = text.charCodeAt(i);
  return all;
})();

/** What a connection manager's message takes, behind the ICRC of its packet. */
const MAD_BYTES = 256;

/** Where the headers of each packet begin; none for what was malformed or cut. */
const offsets = new Int32Array(size + 1);
const hasHeaders = (i) => offsets[i + 1] > offsets[i];
const ipLength = (i) => (bytes[offsets[i]] >> 4 === 4 ? 20 : 40);
const bthAt = (i) => offsets[i] + ipLength(i) + 8;
const opcodeOf = (i) => data.opcodes[bytes[bthAt(i)]];
const OP = { NAME: 0, SERVICE: 1, TEXT: 2, KIND: 3, HEADERS: 4 };

for (const opcode of Object.values(data.opcodes)) {
  opcode.length = 5;
  opcode.headerBytes = opcode[OP.HEADERS].reduce((sum, header) => sum + header[1], 0);
}
for (let i = 0, at = 0; i < size; i++) {
  offsets[i] = at;
  if (data.what[i] === undefined) {
    const bth = at + (bytes[at] >> 4 === 4 ? 20 : 40) + 8;
    at = bth + 12 + data.opcodes[bytes[bth]].headerBytes + 4;
    if (data.message[i] !== undefined) at += MAD_BYTES;
  }
  offsets[i + 1] = at;
}

const number24 = (at) => (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
const psnOf = (i) => number24(bthAt(i) + 9);
const destQpOf = (i) => number24(bthAt(i) + 5);
const isRequest = (i) => hasHeaders(i) && opcodeOf(i)[OP.KIND] === "request";
const isResponse = (i) => hasHeaders(i) && opcodeOf(i)[OP.KIND] === "response";
const serviceOf = (i) => (hasHeaders(i) ? opcodeOf(i)[OP.SERVICE] : "");

/** Where an extension header begins, or -1. */
function headerAt(i, name) {
  if (!hasHeaders(i)) return -1;
  let at = bthAt(i) + 12;
  for (const [header, length] of opcodeOf(i)[OP.HEADERS]) {
    if (header === name) return at;
    at += length;
  }
  return -1;
}

const syndromeText = (i) => {
  const at = headerAt(i, "AETH");
  return at < 0 ? "" : data.syndromes[bytes[at]];
};

/** The headers of a packet: name, where it begins, bytes. */
function headersOf(i) {
  const ip = ipLength(i);
  const list = [
    [ip === 20 ? "IPV4" : "IPV6", offsets[i], ip],
    ["UDP", offsets[i] + ip, 8],
    ["BTH", bthAt(i), 12],
  ];
  let at = bthAt(i) + 12;
  for (const [name, length] of opcodeOf(i)[OP.HEADERS]) {
    list.push([name, at, length]);
    at += length;
  }
  list.push(["ICRC", at, 4]);
  return list;
}

/** The parts of a connection manager's message, like headers. */
function messageOf(i) {
  if (data.message[i] === undefined) return [];
  const at = offsets[i + 1] - MAD_BYTES;
  const name = data.attributes[(bytes[at + 16] << 8) | bytes[at + 17]];
  const list = [["MAD", at, 24], [name, at + 24, MAD_BYTES - 24]];
  const fields = data.messages[name].fields;
  const service = fields.find((f) => f[0] === "serviceId");
  const mine = fields[fields.length - 1];
  const addresses = at + 24 + mine[2] / 8;
  // Service ids of rdma_cm begin so (InfiniBand annex A11); its header has version 0 and names an IP version.
  const ofRdmaCm = name.endsWith("REQ") && service && bitsAt(at + 24, service[2], 40) === 1n;
  if (ofRdmaCm && bytes[addresses] === 0 && [4, 6].includes(bytes[addresses + 1] >> 4)) list.push(["ADDRESSES", addresses, 36]);
  return list;
}

/** A field as a BigInt: bits from the most significant bit of a byte. */
function bitsAt(at, first, width) {
  let value = 0n;
  const last = first + width;
  for (let b = first >> 3; b < (last + 7) >> 3; b++) value = (value << 8n) | BigInt(bytes[at + b]);
  return (value >> BigInt((8 - (last & 7)) & 7)) & ((1n << BigInt(width)) - 1n);
}

const hex = (value, digits) => "0x" + value.toString(16).padStart(digits, "0");
const qp = (value) => (value < 0 ? "QP ?" : "QP " + hex(value, 6));

/** A field as people write it. */
function valueText(at, [, , first, width, format]) {
  const value = bitsAt(at, first, width);
  switch (format) {
    case "flag":
      return value ? "1" : "0";
    case "dec":
      return value.toString();
    case "ip4":
      return Array.from(bytes.slice(at + first / 8, at + first / 8 + 4)).join(".");
    case "gid":
      return addressText(bytes.slice(at + first / 8, at + first / 8 + 16));
    case "timeout":
      return value + " (" + durationText(4096 * 2 ** Number(value)) + ")";
    case "mtu":
      return value + (value >= 1n && value <= 5n ? ` (${128 << Number(value)} bytes)` : "");
    case "reason":
      return data.reasons[value] ?? value.toString();
    case "data":
      return width / 8 + " bytes";
    case "ip6":
      return ip6Text(bytes.slice(at + first / 8, at + first / 8 + 16));
    case "ecn":
      return ["0 not capable", "1 capable", "2 capable", "3 congestion"][Number(value)];
    case "opcode":
      return hex(value, 2) + " " + data.opcodes[Number(value)][OP.TEXT];
    case "syndrome":
      return hex(value, 2) + " " + data.syndromes[Number(value)];
    default:
      return hex(value, Math.ceil(width / 4));
  }
}

function ip6Text(b) {
  const groups = Array.from({ length: 8 }, (_, g) => ((b[2 * g] << 8) | b[2 * g + 1]).toString(16));
  const zeros = groups.join(":").match(/(^|:)0(:0)+(?=:|$)/g) || [];
  const longest = zeros.sort((a, c) => c.length - a.length)[0];
  return longest ? groups.join(":").replace(longest, "::").replace(":::", "::") : groups.join(":");
}

/** A GID or an address of rdma_cm: an IPv4 address where the last four bytes are one. */
function addressText(b) {
  const mapped = b.slice(0, 10).every((byte) => byte === 0) && ((b[10] === 0xff && b[11] === 0xff) || (b[10] === 0 && b[11] === 0 && b[12] !== 0));
  return mapped ? Array.from(b.slice(12)).join(".") : ip6Text(b);
}

const connectionOf = (i) => data.connections[data.connection[i]];
const fromEnd = (i) => (sides[i] ? connectionOf(i).right : connectionOf(i).left);
const toEnd = (i) => (sides[i] ? connectionOf(i).left : connectionOf(i).right);
const endText = ([address, number]) => address + " " + qp(number);
const framesOf = (i) => data.frames[i] ?? String(i + 1);

let relativePsn = true;
function psnText(i) {
  const known = data.psn[i];
  if (!relativePsn || known === null) return "PSN " + psnOf(i);
  return "PSN " + (known < 0 ? "" : "+") + known;
}

/** What stands beside an arrow. */
function labelOf(i) {
  if (!hasHeaders(i)) return data.what[i];
  if (data.message[i]) return "CM " + data.message[i];
  const opcode = opcodeOf(i);
  const parts = [];
  if (ui.connection < 0) parts.push(qp(destQpOf(i)));
  const syndrome = syndromeText(i);
  const reth = headerAt(i, "RETH");
  if (opcode[OP.NAME].endsWith("_ACKNOWLEDGE") && !opcode[OP.NAME].includes("ATOMIC")) parts.push(syndrome);
  else parts.push(opcode[OP.SERVICE] === "RC" || opcode[OP.SERVICE] === "CNP" ? opcode[OP.TEXT].replace(/^RC /, "") : opcode[OP.TEXT]);
  if (opcode[OP.KIND] !== "notification") parts.push(psnText(i));
  if (reth >= 0 && opcode[OP.TEXT].includes("READ")) parts.push(bytesText(Number(bitsAt(reth, 96, 32))));
  else if (data.payload[i] > 0) parts.push(bytesText(data.payload[i]));
  if (opcode[OP.KIND] === "response" && headerAt(i, "AETH") >= 0) parts.push("MSN " + number24(headerAt(i, "AETH") + 1));
  return parts.join(" · ");
}

/** How many, everywhere on the page; PSNs and the numbers of packets, which name something, stand without commas. */
const commas = new Intl.NumberFormat("en"); // one for all: a search makes a text of every packet, most of it counts
const countText = (n) => commas.format(n);
const bytesText = (n) => countText(n) + " B";

/** What is special about a packet, in the words of the legend; empty for a plain one. */
function markText(i) {
  const word = data.marks[marks[i]];
  if (word === "gap") return "gap of " + countText(data.gap[i]);
  return word === "nak" ? "NAK" : word === "rnr" ? "RNR" : word === "cnp" ? "CNP" : word;
}

/** The class of a packet that decides colour and dash: its mark, or what it is. */
function kindOf(i) {
  if (!hasHeaders(i)) return data.what[i].startsWith("malformed") ? "damaged" : "cut";
  if (ICRC[icrcs[i]] === "bad") return "damaged";
  if (marks[i]) return data.marks[marks[i]];
  return isResponse(i) ? "response" : "request";
}

/** One unit for all times of the page. */
const unit = (() => {
  const total = size ? times[size - 1] : 0;
  return total < 1e7 ? { name: "µs", ns: 1e3, digits: 3 } : total < 1e10 ? { name: "ms", ns: 1e6, digits: 6 } : { name: "s", ns: 1e9, digits: 9 };
})();
const timeText = (ns) => (ns / unit.ns).toFixed(unit.digits);
/** A duration in the unit that suits it. */
function durationText(ns) {
  const a = Math.abs(ns);
  const [u, d] = a < 1e3 ? ["ns", 1] : a < 1e6 ? ["µs", 1e3] : a < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  return String(+(ns / d).toPrecision(4)) + "\u202f" + u;
}

/** A sentence for those who hear the page. */
function spoken(i) {
  const mark = markText(i);
  return `${i + 1}: ${fromEnd(i)[0]} to ${toEnd(i)[0]}, ${labelOf(i)}${mark ? ", " + mark : ""}${fates[i] === FATE.lost ? ", lost" : fates[i] === FATE.flying ? ", under way" : ""}`;
}
