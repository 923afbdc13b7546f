-- A post-dissector for RoCE captures of any origin: what a packet is beside the packets before it.
-- The same rules as "roce4j inspect" (Java: org.roce4j.wire.inspect), as Wireshark fields to filter
-- and colour by:
--
--   roce4j.mark           retransmission, gap, late, duplicate, nak, rnr or cnp
--   roce4j.gap            packets that are missing before this one
--   roce4j.relative_psn   packets since the first PSN of these requests in the capture
--   roce4j.comment        the mark as a sentence, an expert note as well
--   roce4j.srq            of an XRC request the shared receive queue (XRCETH), which Wireshark leaves undecoded
--
--   tshark -X lua_script:roce4j.lua -r FILE -Y roce4j.mark
--
-- Wireshark: put the file into the folder "Personal Lua Plugins" of Help > About > Folders.
-- Colouring rules to import: roce4j.colors beside this file.

local roce4j = Proto("roce4j", "RoCE retransmission analysis")

local mark_field = ProtoField.string("roce4j.mark", "Mark")
local gap_field = ProtoField.uint32("roce4j.gap", "Packets missing before this one")
local relative_field = ProtoField.int64("roce4j.relative_psn", "Relative PSN")
local note = ProtoExpert.new("roce4j.comment", "RoCE", expert.group.SEQUENCE, expert.severity.NOTE)
local srq_field = ProtoField.uint24("roce4j.srq", "Shared receive queue", base.HEX)
roce4j.fields = { mark_field, gap_field, relative_field, srq_field }
roce4j.experts = { note }

local opcode = Field.new("infiniband.bth.opcode")
local destination_qp = Field.new("infiniband.bth.destqp")
local psn = Field.new("infiniband.bth.psn")
local syndrome = Field.new("infiniband.aeth.syndrome")
local undecoded = Field.new("infiniband.vendor")
local dma_length = Field.new("infiniband.reth.dmalen")

local SENTENCES = {
  retransmission = "this PSN was sent before",
  gap = "packets before this one are not in the capture",
  late = "fills a gap: overtaken, or lost before the place of the capture",
  duplicate = "this PSN was answered before",
  nak = "the responder refuses, or asks for this PSN again",
  rnr = "the responder has no receive posted and asks for a pause",
  cnp = "congestion notification",
}

local UD, XRC, CNP = 0x60, 0xA0, 0x81
local READ_REQUEST = 0x0C
local LEAST_MTU, MOST_MTU = 256, 4096

-- Operations of RC and XRC by the low five bits of the opcode.
local RESPONSES = { [0x0D] = "read", [0x0E] = "read", [0x0F] = "read", [0x10] = "read",
                    [0x11] = "ack", [0x12] = "ack" }

local requests, ways, answered_by, paired, results

local function reset()
  requests, ways, answered_by, paired, results = {}, {}, {}, {}, {}
end

-- The number with the low 24 bits "value" that is nearest to "reference".
local function extend(reference, value)
  local distance = (value - reference) % 0x1000000
  if distance >= 0x800000 then distance = distance - 0x1000000 end
  return reference + distance
end

local function packets(bytes, size)
  return math.max(1, math.floor((bytes + size - 1) / size))
end

local function new_flow(first)
  return { first = first, next = first, reading = first, read_bytes = 0, mtu = MOST_MTU,
           answered = first, missing = {} }
end

-- The request after a READ tells the path MTU, unless packets between are missing.
local function learn(flow, at)
  if flow.read_bytes == 0 or at == flow.next then return end
  local size = LEAST_MTU
  while size <= MOST_MTU do
    if flow.reading + packets(flow.read_bytes, size) == at then
      flow.mtu, flow.next = size, at
      return
    end
    size = size * 2
  end
end

local function request(flow, value, read_bytes)
  local at = extend(flow.next, value)
  learn(flow, at)
  local found = { relative = at - flow.first }
  if at > flow.next then
    found.mark, found.gap = "gap", at - flow.next
    for missing = flow.next, math.min(at - 1, flow.next + 65535) do flow.missing[missing] = true end
  elseif at < flow.next then
    found.mark = flow.missing[at] and "late" or "retransmission"
    flow.missing[at] = nil
  end
  if at >= flow.next then
    flow.next = at + packets(read_bytes, flow.mtu)
    flow.reading, flow.read_bytes = at, read_bytes
  end
  return found
end

local function response(flow, value, kind, mark)
  local at = extend(flow.next, value)
  local found = { relative = at - flow.first, mark = mark }
  if not mark then
    if at < flow.answered then found.mark = "duplicate" end
    flow.answered = math.max(flow.answered, at + 1)
    if kind == "read" then flow.next = math.max(flow.next, at + 1) end
  end
  return found
end

local function may_be_answered(flow, value)
  local at = extend(flow.next, value)
  return at >= flow.first and at <= flow.next
end

-- The requests that a response answers: it names the requester's queue pair, not its own.
local function answered_flow(from, to, qp, value)
  local key = from .. ">" .. to .. ">" .. qp
  local known = answered_by[key]
  if known and may_be_answered(known, value) then return known end
  local found
  for _, flow in ipairs(ways[to .. ">" .. from] or {}) do
    if not paired[flow] and may_be_answered(flow, value) then
      if found then return nil end
      found = flow
    end
  end
  if found then
    answered_by[key] = found
    paired[found] = true
  end
  return found
end

local function nak(value)
  local kind = bit.band(value, 0x60)
  if kind == 0x20 then return "rnr" end
  if kind ~= 0 then return "nak" end
  return nil
end

local function position(from, to)
  local op, qp, value = opcode().value, destination_qp().value, psn().value
  if op == CNP then return { mark = "cnp" } end
  if bit.band(op, 0xE0) == UD then return {} end
  local operation = bit.band(op, 0x1F)
  local kind = RESPONSES[operation]
  if kind then
    local aeth = syndrome()
    local mark = aeth and nak(aeth.value) or nil
    local flow = answered_flow(from, to, qp, value)
    return flow and response(flow, value, kind, mark) or { mark = mark }
  end
  local key = from .. ">" .. to .. ">" .. qp
  local flow = requests[key]
  if not flow then
    flow = new_flow(value)
    requests[key] = flow
    local way = from .. ">" .. to
    ways[way] = ways[way] or {}
    table.insert(ways[way], flow)
  end
  local length = operation == READ_REQUEST and dma_length()
  return request(flow, value, length and math.max(1, length.value) or 0)
end

-- XRCETH is a reserved byte and 24 bits; every request of XRC has it behind the BTH.
local function xrc_srq(tree)
  local op, rest = opcode().value, undecoded()
  local request = bit.band(op, 0xE0) == XRC and not RESPONSES[bit.band(op, 0x1F)]
  if request and rest and rest.len >= 4 then tree:add(srq_field, rest.range(1, 3)) end
end

reset()

function roce4j.init()
  reset()
end

function roce4j.dissector(_, pinfo, tree)
  if not opcode() then return end
  xrc_srq(tree)
  local found = results[pinfo.number]
  if not found then
    found = position(tostring(pinfo.net_src), tostring(pinfo.net_dst))
    results[pinfo.number] = found
  end
  if not found.mark and not found.relative then return end
  local part = tree:add(roce4j)
  if found.relative then part:add(relative_field, Int64.new(found.relative)):set_generated() end
  if found.mark then
    part:add(mark_field, found.mark):set_generated()
    if found.gap then part:add(gap_field, found.gap):set_generated() end
    part:add_proto_expert_info(note, found.mark .. ": " .. SENTENCES[found.mark])
  end
end

register_postdissector(roce4j)
