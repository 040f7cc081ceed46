// What Redis does in one step. One stream for each audience is its counter and its log at once (D-HUB-7).
//
// The id of a stream entry is `<number>-<microseconds>`: the entry's number, and when it was appended by Redis's own clock.
// Its fields are `p`, the microseconds of the entry before it, `b`, the bytes of all payloads up to and including its own,
// and `d`, the payload. An entry with `new` or `lost` instead of `d` is a *mark*: a counter that was created anew starts
// there, and nothing before it is known. `p` makes the entries a chain: a reader notices when the entry that follows its
// position continues another history, which a promoted replica that lagged behind makes with the same numbers. It has the
// log made anew, so that the clients of every node are told, also of those that were not as far.

import { createHash } from 'node:crypto';

/** A script and the name that Redis knows it by. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (body: string): Script => {
  const text = `${shared}\n${body}`;
  return { text, sha: createHash('sha1').update(text).digest('hex') };
};

// ARGV of every script: the node's clock in microseconds, the highest number that it has seen anywhere, and after how many
// milliseconds an unused log expires. `seen` is the highest number that the node has seen in the audience at hand, `at` when that was
// appended, 0 where it is not known: a log that has got just as far with other entries is another history, too.
const shared = `
local clock, floor, expiry = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function split(id)
  local dash = string.find(id, '-', 1, true)
  return tonumber(string.sub(id, 1, dash - 1)), tonumber(string.sub(id, dash + 1))
end

local function join(number, micros)
  return string.format('%.0f-%.0f', number, micros)
end

local function newest(key, seen, at)
  local last, number, micros = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1], 0
  if last then
    number, micros = split(last[1])
    if number > seen or number == seen and (at == 0 or micros == at) then return number, micros, tonumber(last[2][4]) end
  end
  redis.call('DEL', key)
  number = math.max(clock, floor + 1, number + 1)
  redis.call('XADD', key, join(number, now), 'p', '0', 'b', '0', seen > 0 and 'lost' or 'new', '1')
  return number, now, 0
end
`;

/**
 * Numbers and appends. KEYS: the audiences' logs. More ARGV: most envelopes, most microseconds, most bytes of a log; by Redis's
 * clock in microseconds when its caller has given up; `seen` of each key; then for each item the place of its key and its
 * payload. Answers number and microseconds of each item.
 *
 * What waited in a stopped Redis or in a stalled link until its caller gave up is not stored: it would come after what the
 * caller sent since, and an inline result in it would be older than what clients have.
 */
export const appendScript: Script = script(`
local mostEntries, mostMicros, mostBytes = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if now > tonumber(ARGV[7]) then return redis.error_reply('EXPIRED it came after its caller had given up') end

-- At most so many at once: a long log that aged as a whole goes in several steps.
local function trim(key, number, bytes)
  local count, from, dropped = redis.call('XLEN', key), '-', nil
  for _ = 1, 100 do
    local first = redis.call('XRANGE', key, from, '+', 'COUNT', 1)[1]
    local at, micros = split(first[1])
    if at == number then break end
    local before = tonumber(first[2][4])
    if first[2][5] == 'd' then before = before - #first[2][6] end
    if count <= mostEntries and bytes - before <= mostBytes and now - micros <= mostMicros then break end
    count, from, dropped = count - 1, '(' .. first[1], at
  end
  if dropped then redis.call('XTRIM', key, 'MINID', '=', join(dropped + 1, 0)) end
end

local tails = {}
for place, key in ipairs(KEYS) do
  tails[place] = { newest(key, tonumber(ARGV[7 + place]), 0) }
end
local answer = {}
for item = 8 + #KEYS, #ARGV, 2 do
  local place, payload = tonumber(ARGV[item]), ARGV[item + 1]
  local number, micros, bytes = unpack(tails[place])
  local next = { number + 1, math.max(now, micros), bytes + #payload }
  redis.call('XADD', KEYS[place], join(next[1], next[2]), 'p', string.format('%.0f', micros), 'b', string.format('%.0f', next[3]), 'd', payload)
  tails[place] = next
  answer[#answer + 1] = next[1]
  answer[#answer + 1] = next[2]
end
for place, key in ipairs(KEYS) do
  trim(key, tails[place][1], tails[place][3])
  redis.call('PEXPIRE', key, expiry)
end
return answer
`);

/** The whole log of one audience. More ARGV: `seen`. Answers Redis's clock and the entries as `XRANGE` does. */
export const pictureScript: Script = script(`
newest(KEYS[1], tonumber(ARGV[4]), 0)
redis.call('PEXPIRE', KEYS[1], expiry)
return { now, redis.call('XRANGE', KEYS[1], '-', '+') }
`);

/** The number of an audience's newest entry. More ARGV: `seen`. */
export const positionScript: Script = script(`
local number = newest(KEYS[1], tonumber(ARGV[4]), 0)
redis.call('PEXPIRE', KEYS[1], expiry)
return number
`);

/**
 * Keeps the logs that a node reads, and creates those anew that are gone or behind what it has seen: the mark then reaches every
 * node through its blocking read. More ARGV: the id of the newest entry that is known of each key. Answers Redis's clock, and the places of
 * keys that are no logs: something else has written to them, and a read of all would fail for the sake of one.
 */
export const checkScript: Script = script(`
local foreign = {}
for place, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key)['ok']
  if kind == 'stream' or kind == 'none' then
    newest(key, split(ARGV[3 + place]))
    redis.call('PEXPIRE', key, expiry)
  else
    foreign[#foreign + 1] = place
  end
end
return { now, foreign }
`);

/** Loaded whenever a connection is made, so that the text is seldom sent. */
export const scripts: readonly Script[] = [appendScript, pictureScript, positionScript, checkScript];
