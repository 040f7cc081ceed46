// Checks the options of a simulation and of its parts. With a misspelled option, a test would run with its default and might pass.

/** The type of each option. */
type Types = Readonly<Record<string, 'boolean' | 'number' | 'object' | 'string'>>;

const ofClient: Types = { isBrowser: 'boolean' };
const ofSimulation: Types = {
  ...ofClient,
  seed: 'number',
  startAt: 'number',
  origin: 'string',
  streamPath: 'string',
  params: 'object',
  heartbeatMs: 'number',
  replay: 'object',
};

/**
 * Throws a `TypeError` that names an unknown option, or one of another type.
 * @param at the path before the name of an option
 */
export function checkOptions(at: string, types: Types, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`[edict] ${at}the options must be an object, but they are ${JSON.stringify(given)}.`);
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const type = types[name];
    if (type === undefined)
      throw new TypeError(
        `[edict] ${at}${name} is not an option. Use one of: ${Object.keys(types).join(', ')}.`,
      );
    if (value !== undefined && (typeof value !== type || Number.isNaN(value)))
      throw new TypeError(
        `[edict] ${at}${name} must be of type ${type}, not ${Number.isNaN(value) ? 'NaN' : typeof value}.`,
      );
  }
}

/** Throws a `TypeError` that names the option. */
export const checkClientOptions = (given: object): void => checkOptions('createClient: ', ofClient, given);

/** Throws a `TypeError` that names the option. */
export function checkSimulationOptions(given: {
  origin?: string;
  streamPath?: string;
  params?: object;
  replay?: object;
}): void {
  const at = 'createSimulation: ';
  checkOptions(at, ofSimulation, given);
  checkOptions(`${at}params.`, { clientId: 'string', audience: 'string' }, given.params ?? {});
  checkOptions(`${at}replay.`, { maxEnvelopes: 'number', maxAgeMs: 'number' }, given.replay ?? {});
  const { origin = 'https://app.test', streamPath = '/' } = given;
  if (!/^https?:\/\/[^/?#]+$/.test(origin))
    throw new TypeError(
      `[edict] ${at}origin must be a scheme and a host, such as "https://app.test", but it is "${origin}".`,
    );
  if (!streamPath.startsWith('/'))
    throw new TypeError(`[edict] ${at}streamPath must begin with /, but it is "${streamPath}".`);
}
