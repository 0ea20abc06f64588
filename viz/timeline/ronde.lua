-- Wireshark's and tshark's eyes for frames of ronde, wire version 1: docs/protocol.md, clauses 2.4 to 2.8.
--
--   wireshark -X lua_script:viz/timeline/ronde.lua run.pcapng
--
-- No port is ours: a connection is known by its first frame, which is a hello (32 bytes of header, of which kind, version,
-- length and purpose are checked), and is ronde's from then on.

local ronde = Proto("ronde", "ronde bootstrap")

local HEADER_BYTES = 32
local ENTRY_BYTES = 64
local NO_RANK = 0xffffffff
local WIRE_VERSION = 1
local MOST_ENTRIES_SHOWN = 1024

local kinds = {
    [1] = "hello", [2] = "challenge", [3] = "proof", [4] = "check_in", [5] = "successor", [6] = "slices",
    [7] = "length", [8] = "done", [9] = "commit", [10] = "message", [11] = "verdict", [12] = "bye", [13] = "roll_call",
}
-- Payload of the kinds that always have the same.
local fixed_bytes = {
    [1] = 16, [2] = 32, [3] = 16, [4] = 64, [5] = 64, [7] = 0, [8] = 0, [9] = 0, [11] = 176, [12] = 0, [13] = 0,
}
local purposes = {[0] = "root", [1] = "previous root", [2] = "call-back", [3] = "chord", [5] = "message link"}
local codes = {
    [0] = "ok", "deadline", "ranks_missing", "rank_lost", "root_lost", "root_silent", "duplicate_rank", "mismatch",
    "duplicate_device", "id_consumed", "peer_unreachable", "protocol_violation", "aborted", "local_failure",
    "peer_closed", "bad_argument",
}
local phases = {
    [0] = "created", "listening", "delayed", "checking_in", "awaiting_successor", "connecting_ring", "gathering",
    "committing", "ready", "failed", "closed",
}
local families = {[0] = "none", [4] = "IPv4", [6] = "IPv6"}

local f = ronde.fields
f.payload_bytes = ProtoField.uint32("ronde.payload_bytes", "Payload bytes")
f.kind = ProtoField.uint8("ronde.kind", "Kind", base.DEC, kinds)
f.version = ProtoField.uint8("ronde.version", "Wire version")
f.aux = ProtoField.uint16("ronde.aux", "aux", base.HEX)
f.a = ProtoField.uint32("ronde.a", "a")
f.b = ProtoField.uint32("ronde.b", "b")
f.c = ProtoField.uint64("ronde.c", "c", base.HEX)
f.d = ProtoField.uint64("ronde.d", "d")
f.purpose = ProtoField.uint8("ronde.purpose", "Purpose", base.DEC, purposes)
f.chord = ProtoField.uint16("ronde.chord", "Chord")
f.from = ProtoField.uint32("ronde.from", "From")
f.to = ProtoField.uint32("ronde.to", "To")
f.session = ProtoField.uint64("ronde.session", "Session", base.HEX)
f.rank = ProtoField.uint32("ronde.rank", "Rank")
f.nranks = ProtoField.uint32("ronde.nranks", "Ranks of the job")
f.root = ProtoField.uint16("ronde.root", "Root")
f.first = ProtoField.uint32("ronde.first", "First slice")
f.count = ProtoField.uint32("ronde.count", "Slices")
f.slice_bytes = ProtoField.uint64("ronde.slice_bytes", "Bytes of a slice")
f.operation = ProtoField.uint64("ronde.operation", "Operation")
f.round = ProtoField.uint32("ronde.round", "Round")
f.tag = ProtoField.uint64("ronde.tag", "Tag of the message")
f.sequence = ProtoField.uint64("ronde.sequence", "Number of the message")
f.deadline_ns = ProtoField.uint64("ronde.deadline_ns", "Time left (ns)")
f.nonce = ProtoField.bytes("ronde.nonce", "Nonce")
f.proof = ProtoField.bytes("ronde.proof", "Proof")
f.payload = ProtoField.bytes("ronde.payload", "Payload")
f.entry = ProtoField.none("ronde.entry", "Entry")
f.family = ProtoField.uint8("ronde.entry.family", "Family", base.DEC, families)
f.port = ProtoField.uint16("ronde.entry.port", "Port")
f.ipv4 = ProtoField.ipv4("ronde.entry.ipv4", "Address")
f.ipv6 = ProtoField.ipv6("ronde.entry.ipv6", "Address")
f.host_id = ProtoField.uint64("ronde.entry.host_id", "Host", base.HEX)
f.device_id = ProtoField.uint64("ronde.entry.device_id", "Device", base.HEX)
f.incarnation = ProtoField.uint64("ronde.entry.incarnation", "Incarnation", base.HEX)
f.process_id = ProtoField.uint32("ronde.entry.process_id", "Process")
f.entry_rank = ProtoField.uint32("ronde.entry.rank", "Rank")
f.callback_port = ProtoField.uint16("ronde.entry.callback_port", "Call-back port")
f.code = ProtoField.uint8("ronde.verdict.code", "Code", base.DEC, codes)
f.phase = ProtoField.uint8("ronde.verdict.phase", "Phase of the reporter", base.DEC, phases)
f.failure = ProtoField.uint8("ronde.verdict.failure", "Failure")
f.field = ProtoField.uint8("ronde.verdict.field", "Disagreed on")
f.os_error = ProtoField.int32("ronde.verdict.os_error", "errno")
f.about = ProtoField.uint32("ronde.verdict.about", "About")
f.other = ProtoField.uint32("ronde.verdict.other", "Other")
f.reporter = ProtoField.uint32("ronde.verdict.reporter", "Reporter")
f.expected = ProtoField.uint64("ronde.verdict.expected", "Expected")
f.got = ProtoField.uint64("ronde.verdict.got", "Got")

local bad_length = ProtoExpert.new("ronde.bad_length", "This kind has another payload length", expert.group.MALFORMED,
                                   expert.severity.ERROR)
ronde.experts = {bad_length}

local function add_rank(tree, field, range)
    local item = tree:add_le(field, range)
    if range:le_uint() == NO_RANK then item:append_text(" (none)") end
end

local function add_entry(tree, range)
    local entry = tree:add(f.entry, range)
    entry:set_text("Entry of rank " .. range(56, 4):le_uint())
    entry:add(f.family, range(0, 1))
    entry:add_le(f.port, range(2, 2))
    local family = range(0, 1):uint()
    if family == 4 then entry:add(f.ipv4, range(8, 4)) end
    if family == 6 then entry:add(f.ipv6, range(8, 16)) end
    entry:add_le(f.host_id, range(24, 8))
    entry:add_le(f.device_id, range(32, 8))
    entry:add_le(f.incarnation, range(40, 8))
    entry:add_le(f.process_id, range(48, 4))
    entry:add_le(f.entry_rank, range(56, 4))
    entry:add_le(f.callback_port, range(60, 2))
end

local function add_handshake(tree, header)
    tree:add_le(f.purpose, header(6, 1))
    tree:add_le(f.chord, header(7, 1))
    tree:add_le(f.from, header(8, 4))
    tree:add_le(f.to, header(12, 4))
    tree:add_le(f.session, header(16, 8))
    return purposes[header(6, 1):uint()] or "?"
end

-- By kind: what the header's numbers and the payload mean. Returns what the info column says after the kind.
local readers = {
    [1] = function(tree, header, payload)
        local purpose = add_handshake(tree, header)
        tree:add(f.nonce, payload)
        return purpose .. ", from " .. header(8, 4):le_uint()
    end,
    [2] = function(tree, header, payload)
        local purpose = add_handshake(tree, header)
        tree:add(f.nonce, payload(0, 16))
        tree:add(f.proof, payload(16, 16))
        return purpose
    end,
    [3] = function(tree, header, payload)
        local purpose = add_handshake(tree, header)
        tree:add(f.proof, payload)
        return purpose
    end,
    [4] = function(tree, header, payload)
        tree:add_le(f.root, header(6, 2))
        tree:add_le(f.rank, header(8, 4))
        tree:add_le(f.nranks, header(12, 4))
        tree:add_le(f.deadline_ns, header(24, 8))
        add_entry(tree, payload)
        return "rank " .. header(8, 4):le_uint() .. " of " .. header(12, 4):le_uint()
    end,
    [5] = function(tree, header, payload)
        tree:add_le(f.rank, header(8, 4))
        add_entry(tree, payload)
        return "rank " .. header(8, 4):le_uint()
    end,
    [6] = function(tree, header, payload)
        tree:add_le(f.chord, header(6, 2))
        tree:add_le(f.first, header(8, 4))
        tree:add_le(f.count, header(12, 4))
        tree:add_le(f.slice_bytes, header(16, 8))
        tree:add_le(f.operation, header(24, 8))
        local count = header(12, 4):le_uint()
        local is_table = header(24, 8):le_uint64() == UInt64(0) and header(16, 8):le_uint64() == UInt64(ENTRY_BYTES)
        if payload and is_table and payload:len() == count * ENTRY_BYTES then
            for i = 0, math.min(count, MOST_ENTRIES_SHOWN) - 1 do
                add_entry(tree, payload(i * ENTRY_BYTES, ENTRY_BYTES))
            end
        elseif payload then
            tree:add(f.payload, payload)
        end
        return count .. " from " .. header(8, 4):le_uint()
    end,
    [7] = function(tree, header)
        tree:add_le(f.round, header(8, 4))
        tree:add_le(f.slice_bytes, header(16, 8))
        tree:add_le(f.operation, header(24, 8))
        return "round " .. header(8, 4):le_uint()
    end,
    [10] = function(tree, header, payload)
        tree:add_le(f.from, header(8, 4))
        tree:add_le(f.to, header(12, 4))
        tree:add_le(f.tag, header(16, 8))
        tree:add_le(f.sequence, header(24, 8))
        if payload then tree:add(f.payload, payload) end
        return header(8, 4):le_uint() .. " to " .. header(12, 4):le_uint()
    end,
    [11] = function(tree, header, payload)
        tree:add_le(f.rank, header(8, 4))
        tree:add(f.code, payload(0, 1))
        tree:add(f.phase, payload(1, 1))
        tree:add(f.failure, payload(2, 1))
        tree:add(f.field, payload(3, 1))
        tree:add_le(f.os_error, payload(4, 4))
        add_rank(tree, f.about, payload(8, 4))
        add_rank(tree, f.other, payload(12, 4))
        add_rank(tree, f.reporter, payload(16, 4))
        tree:add_le(f.expected, payload(24, 8))
        tree:add_le(f.got, payload(32, 8))
        return codes[payload(0, 1):uint()] or "?"
    end,
}
local function read_rank(tree, header)
    tree:add_le(f.rank, header(8, 4))
    return "rank " .. header(8, 4):le_uint()
end
readers[8] = read_rank
readers[12] = read_rank
readers[13] = read_rank

local function frame_bytes(buffer, _, offset)
    return HEADER_BYTES + buffer(offset, 4):le_uint()
end

local function read_frame(buffer, pinfo, root)
    local header = buffer(0, HEADER_BYTES)
    local kind = header(4, 1):uint()
    local name = kinds[kind] or ("kind " .. kind)
    local payload_bytes = buffer:len() - HEADER_BYTES
    local payload = payload_bytes > 0 and buffer(HEADER_BYTES, payload_bytes) or nil

    local tree = root:add(ronde, buffer(), "ronde " .. name)
    tree:add_le(f.payload_bytes, header(0, 4))
    tree:add(f.kind, header(4, 1))
    tree:add(f.version, header(5, 1))
    tree:add_le(f.aux, header(6, 2))
    tree:add_le(f.a, header(8, 4))
    tree:add_le(f.b, header(12, 4))
    tree:add_le(f.c, header(16, 8))
    tree:add_le(f.d, header(24, 8))

    local info = name
    if fixed_bytes[kind] and fixed_bytes[kind] ~= payload_bytes then
        tree:add_proto_expert_info(bad_length)
    elseif readers[kind] then
        info = name .. " (" .. readers[kind](tree, header, payload) .. ")"
    end
    tree:set_text("ronde " .. info)
    pinfo.cols.info:append((pinfo.private.ronde_seen and ", " or "") .. info)
    pinfo.private.ronde_seen = "yes"
    return buffer:len()
end

function ronde.dissector(buffer, pinfo, root)
    pinfo.cols.protocol = "ronde"
    pinfo.cols.info = ""
    pinfo.private.ronde_seen = nil
    dissect_tcp_pdus(buffer, root, HEADER_BYTES, frame_bytes, read_frame)
    return buffer:len()
end

ronde:register_heuristic("tcp", function(buffer, pinfo, root)
    if buffer:len() < HEADER_BYTES then return false end
    local is_hello = buffer(0, 4):le_uint() == fixed_bytes[1] and buffer(4, 1):uint() == 1
                     and buffer(5, 1):uint() == WIRE_VERSION and purposes[buffer(6, 1):uint()]
    if not is_hello then return false end
    pinfo.conversation = ronde
    ronde.dissector(buffer, pinfo, root)
    return true
end)
