// The scripts that Redis runs in one step. Each log is one stream, which is also the counter of its audience (D-HUB-7).
//
// The id of an entry is `<seq>-<microseconds>`. The second part is the time of the append by the clock of Redis. An entry
// has these fields:
// - `p`: the microseconds of the previous entry.
// - `b`: the bytes of all payloads up to this entry.
// - `d`: the payload. A *mark* has `new` or `lost` instead: the counter was created there, and earlier entries are unknown.
//
// The field `p` makes the entries a chain. A promoted replica that lagged behind can continue with other entries under the
// same numbers. A reader then finds an entry that does not follow its position, and creates the log again. So the clients
// of every node are notified, also on nodes that had not read as far.

import { createHash } from 'node:crypto';
import { foreignText } from './replies.ts';

/** A script and the hash that Redis knows it by. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (body: string): Script => {
  const text = `${shared}\n${body}`;
  return { text, sha: createHash('sha1').update(text).digest('hex') };
};

// Every script receives in ARGV: the node's clock in microseconds, the highest number that the node knows of any log, and
// the milliseconds after which an unused log expires.
//
// `newest` returns number, microseconds, and bytes of the newest entry of a log. It creates the log again when it is gone or
// behind. `seen` is the highest number that the node knows of this log. `at` is the time of that entry, or 0: a log that has
// the same number with another time continues another history. It returns nothing for a key that contains anything else,
// because such a key belongs to another application.
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

local function foreign(key)
  return redis.error_reply('FOREIGN the key ' .. key .. ' ${foreignText}')
end

local function newest(key, seen, at)
  local kind, number = redis.call('TYPE', key)['ok'], 0
  if kind ~= 'none' then
    local last = kind == 'stream' and redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    local fields = last and last[2] or {}
    if fields[1] ~= 'p' or fields[3] ~= 'b' then return nil end
    local micros
    number, micros = split(last[1])
    if number > seen or number == seen and (at == 0 or micros == at) then return number, micros, tonumber(fields[4]) end
    redis.call('DEL', key)
  end
  number = math.max(clock, floor + 1, number + 1)
  redis.call('XADD', key, join(number, now), 'p', '0', 'b', '0', seen > 0 and 'lost' or 'new', '1')
  return number, now, 0
end
`;

/**
 * Numbers and appends payloads. KEYS are the logs. Further ARGV: the limits of a log (entries, microseconds, bytes), the time
 * at which the caller gives up (microseconds by the clock of Redis), `seen` of each key, and for each item the index of its
 * key and its payload. Returns number and microseconds of each item.
 *
 * A list can wait in a stopped Redis or a stalled connection until its caller has given up. Such a list is not stored. It would
 * follow what the caller has emitted since, and its inline results would be older than the clients' data.
 */
export const appendScript: Script = script(`
local mostEntries, mostMicros, mostBytes = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if now > tonumber(ARGV[7]) then return redis.error_reply('EXPIRED the list arrived after its caller had given up.') end

-- At most 100 entries by their number and 100 by bytes or age in one step, so that a long and old log does not block Redis.
local function trim(key, number, bytes)
  local count, from, dropped = redis.call('XLEN', key), '-', nil
  if count > mostEntries then redis.call('XTRIM', key, 'MAXLEN', '=', math.max(mostEntries, count - 100)) end
  for _ = 1, 100 do
    local first = redis.call('XRANGE', key, from, '+', 'COUNT', 1)[1]
    local at, micros = split(first[1])
    if at == number then break end
    local before = tonumber(first[2][4])
    if first[2][5] == 'd' then before = before - #first[2][6] end
    if bytes - before <= mostBytes and now - micros <= mostMicros then break end
    from, dropped = '(' .. first[1], at
  end
  if dropped then redis.call('XTRIM', key, 'MINID', '=', join(dropped + 1, 0)) end
end

local tails = {}
for place, key in ipairs(KEYS) do
  tails[place] = { newest(key, tonumber(ARGV[7 + place]), 0) }
  if not tails[place][1] then return foreign(key) end
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

/** Returns the clock of Redis and all entries of one log, as `XRANGE` does. Further ARGV: `seen`. */
export const readScript: Script = script(`
if not newest(KEYS[1], tonumber(ARGV[4]), 0) then return foreign(KEYS[1]) end
redis.call('PEXPIRE', KEYS[1], expiry)
return { now, redis.call('XRANGE', KEYS[1], '-', '+') }
`);

/** Returns the number of the newest entry of one log. Further ARGV: `seen`. */
export const positionScript: Script = script(`
local number = newest(KEYS[1], tonumber(ARGV[4]), 0)
if not number then return foreign(KEYS[1]) end
redis.call('PEXPIRE', KEYS[1], expiry)
return number
`);

/**
 * Keeps logs from expiring and creates those again that are gone or behind. The mark then reaches every node through its
 * blocking read. Further ARGV: the id of the newest entry that the node knows of each key. Returns the clock of Redis, and for
 * each key the id of its newest entry, or an empty string when the key contains data of another application.
 */
export const checkScript: Script = script(`
local ids = {}
for place, key in ipairs(KEYS) do
  local number, micros = newest(key, split(ARGV[3 + place]))
  ids[place] = number and join(number, micros) or ''
  if number then redis.call('PEXPIRE', key, expiry) end
end
return { now, ids }
`);

/** Every connection loads these first, so that later calls send only a hash. */
export const scripts: readonly Script[] = [appendScript, readScript, positionScript, checkScript];
