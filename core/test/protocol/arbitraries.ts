// Nearly valid directives: every field is absent, null, valid, or invalid.

import fc from 'fast-check';

const wrong = fc.constantFrom<unknown>('', 0, -1, 1.5, true, [], {}, [1], 'x', null);

const field = (...right: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: wrong });

const always = {
  op: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom(
        'refresh_collection',
        'refresh_item',
        'force_reload_page',
        'refresh',
        'invalidate',
      ),
    },
    { weight: 1, arbitrary: wrong },
  ),
};

const sometimes = {
  name: field('ticket', 'tickets', '__proto__'),
  id: field(7, '7', ''),
  level: field('full', 'default', null),
  kind: field('item', 'collection', null),
  params: field({}, { status: 'open' }, { a: { b: [1, null] } }, JSON.parse('{"__proto__":{"a":1}}'), null),
  params_mode: field('exact', 'contains', null),
  result: field({ ids: [1] }, null, 5),
  hard: field(true, false, null),
  idempotency_key: field('k1', null),
  key: field('k2', null),
  timestamp: field(1, 0.5, null),
  audience: field('global', null),
  source: field('client-1', null),
  seq: field(1, 2, null),
  extra: field(1),
};

/** A nearly valid directive, in wrappers about half of the time. */
export const nearDirective: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  flat: fc.record({ ...always, ...sometimes }, { requiredKeys: ['op', 'name'] }),
  sparse: fc.record({ ...always, ...sometimes }, { requiredKeys: [] }),
  wrapper: fc.record(
    {
      op: fc.constant('invalidate'),
      targets: fc.oneof(
        { weight: 8, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
        { weight: 1, arbitrary: wrong },
      ),
      name: sometimes.name,
      idempotency_key: sometimes.idempotency_key,
      audience: sometimes.audience,
      seq: sometimes.seq,
    },
    { requiredKeys: ['op', 'targets'] },
  ),
  any: fc.oneof({ maxDepth: 10, depthSize: 'large' }, tie('flat'), tie('sparse'), tie('wrapper')),
}))['any'];
