// Development only: an option that is ignored silently, such as a misspelled one, shows the wrong data.

import { describe } from '@edict/core/internal';

const functions = ['select', 'isEqual', 'nextParams', 'onSuccess', 'onError', 'onSettled'];
const flags = ['enabled', 'silent', 'keepPrevious'];

/**
 * Throws a `TypeError` that names the option.
 *
 * @param hook what was called, such as `useItem("ticket")`
 * @param names the options that exist, separated by spaces
 * @param levelOptions the argument that may be a level or an object of options: in the object, `level` is an option
 */
export function checkOptions(
  hook: string,
  options: object | undefined,
  names: string,
  levelOptions?: unknown,
): void {
  if (options === undefined || options === null) return;
  if (typeof options !== 'object' || Array.isArray(options))
    throw new TypeError(`[edict] ${hook}: the options must be an object, but are ${describe(options)}.`);
  const known = names.split(' ');
  if (options === levelOptions) known.push('level');
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      const hint = known.includes('params') ? ` For a filter, pass { params: { ${name}: … } }.` : '';
      throw new TypeError(
        `[edict] ${hook}: there is no option "${name}".${hint} The options are ${known.join(', ')}.`,
      );
    }
    if (value === undefined || value === null) continue;
    if (functions.includes(name) && typeof value !== 'function')
      throw new TypeError(`[edict] ${hook}: ${name} must be a function, but is ${describe(value)}.`);
    if (flags.includes(name) && typeof value !== 'boolean')
      throw new TypeError(`[edict] ${hook}: ${name} must be true or false, but is ${describe(value)}.`);
  }
}
