// Writes docs/internals/protocol.schema.json: the wire as JSON Schema, from the Zod schemas of `@edict/core/protocol`.
// `--check` fails if the file is out of date.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}docs/internals/protocol.schema.json`;

/** The schemas and the generator of the same Zod. They come from the sources, so no build is needed. */
async function load() {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './core/src/protocol/schemas.ts'; export { toJSONSchema } from 'zod';",
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    logLevel: 'silent',
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

const { toJSONSchema, directiveSchema, clientDirectiveSchema, acceptedDirectiveSchema, envelopeSchema } =
  await load();
const schemas = {
  directive: directiveSchema,
  clientDirective: clientDirectiveSchema,
  acceptedDirective: acceptedDirectiveSchema,
  envelope: envelopeSchema,
};

/** The requirements of the client shape for each operation, which are functions in Zod. */
const clientForms = [
  { properties: { op: { const: 'refresh' }, id: { type: ['string', 'number'] } }, required: ['id'] },
  { properties: { op: { const: 'refresh' }, kind: { enum: ['collection', null] } } },
  { properties: { op: { const: 'invalidate' }, targets: { type: 'null' } } },
].map((form) => Object.assign({ type: 'object' }, form));

const options = {
  unrepresentable: 'any',
  override({ zodSchema, jsonSchema }) {
    // Params are checked by a function: a plain object with a JSON form, which is any object of JSON.
    if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'object';
    if (zodSchema === clientDirectiveSchema) jsonSchema.anyOf = clientForms;
  },
};

const descriptions = {
  directive:
    'What a server sends. Wrappers are nested at most 8 deep; a list holds at most 10,000 directives, nested ones counted.',
  clientDirective:
    'The shape that applyDirectives accepts beside the server contract. `invalidate` without `targets` is the legacy one.',
  acceptedDirective: 'Whatever a client accepts: both shapes, also mixed within `targets`.',
  envelope:
    'One message of the stream. An empty list is a position: a heartbeat, or with `recovered` a greeting.',
};

/** The definitions that Zod made within one schema move up beside it, under its name. */
function renamed(value, name) {
  if (Array.isArray(value)) return value.map((member) => renamed(member, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key !== '$ref' || typeof member !== 'string') return [key, renamed(member, name)];
      return [key, member === '#' ? `#/$defs/${name}` : member.replace(/^#\/\$defs\/_*/, `#/$defs/${name}.`)];
    }),
  );
}

const $defs = {};
for (const [name, schema] of Object.entries(schemas)) {
  const { $schema: _version, $defs: own = {}, ...rest } = toJSONSchema(schema, options);
  $defs[name] = { description: descriptions[name], ...renamed(rest, name) };
  for (const [part, definition] of Object.entries(own)) {
    $defs[`${name}.${part.replace(/^_*/, '')}`] = renamed(definition, name);
  }
}
$defs.typeInvalidate = {
  description: 'Every item of a type: the only form of the client shape that a server sends.',
  allOf: [
    { $ref: '#/$defs/clientDirective' },
    {
      type: 'object',
      properties: { op: { const: 'invalidate' }, kind: { const: 'item' }, id: { type: 'null' } },
      required: ['kind'],
    },
  ],
};
// A client checks each directive alone and drops wrong ones. A server has no reason to send any.
$defs.envelope.properties.directives = {
  type: 'array',
  items: { anyOf: [{ $ref: '#/$defs/directive' }, { $ref: '#/$defs/typeInvalidate' }] },
};

const json = JSON.stringify(
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Edict: one message of the event stream',
    $ref: '#/$defs/envelope',
    $defs,
  },
  null,
  2,
);
/** Formats the file like the formatter. */
const { stdout: text, status } = spawnSync(`${root}node_modules/.bin/oxfmt`, ['--stdin-filepath', file], {
  input: json,
  encoding: 'utf8',
});
if (status !== 0) throw new Error('oxfmt could not format the schema');

if (process.argv.includes('--check')) {
  const written = readFileSync(file, 'utf8');
  if (written !== text) {
    console.error(
      'docs/internals/protocol.schema.json is not what the schemas say: run node scripts/json-schema.mjs',
    );
    process.exit(1);
  }
} else writeFileSync(file, text);
