// The code that a team writes, from the files of an example that runs in a test.

// oxlint-disable import/default -- Vite makes the text of a file its default export
import data from '../../../examples/vite-express/src/data.ts?raw';
import component from '../../../examples/vite-express/src/Row.tsx?raw';
import server from '../../../examples/vite-express/server.ts?raw';

export interface Line {
  text: string;
  /** Whether the line uses Edict. The other lines are those of any application. */
  isEdict: boolean;
}

export interface Excerpt {
  file: string;
  lines: readonly Line[];
}

const edict = /\b(createHub|hub\.|directives|define(Item|Collection)|DL\.|use(Item|Mutation))/;

/** The blocks that begin with one of these texts, in the order of the file. A block ends with its brackets. */
function excerpt(file: string, source: string, beginnings: readonly string[]): Excerpt {
  const all = source.split('\n').filter((line) => !line.startsWith('/**'));
  const lines: Line[] = [];
  for (const beginning of beginnings) {
    const from = all.findIndex((line) => line.startsWith(beginning));
    if (from === -1) throw new Error(`${file} has no line that begins with "${beginning}".`);
    let to = from;
    for (let depth = 0; to < all.length; to += 1) {
      depth += depthOf(all[to] ?? '');
      if (depth === 0) break;
    }
    // Files of the example separate their parts with an empty line.
    if (lines.length > 0 && all[from - 1] === '') lines.push({ text: '', isEdict: false });
    lines.push(...marked(all.slice(from, to + 1)));
  }
  return { file, lines };
}

/** The block without its lines after the last marked one. */
function shortened({ file, lines }: Excerpt): Excerpt {
  const kept = lines.slice(0, lines.findLastIndex(({ isEdict }) => isEdict) + 1);
  const rest = ['  // … the markup', '}'].map((text) => ({ text, isEdict: false }));
  return { file, lines: [...kept, ...rest] };
}

/** A statement that begins with Edict's API is marked until its last line. */
function marked(texts: readonly string[]): Line[] {
  let depth = 0;
  return texts.map((text) => {
    const isEdict = depth > 0 || edict.test(text);
    if (isEdict) depth += depthOf(text);
    return { text, isEdict };
  });
}

const depthOf = (text: string): number =>
  (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);

export const serverExcerpt = excerpt('server.ts', server, [
  'const hub',
  "app.get('/api/events'",
  "app.use('/api'",
  "app.post('/api/tickets/:id/solve'",
]);

export const clientExcerpts = [
  excerpt('data.ts', data, ['export const ticket =', 'export const tickets =', 'DL.register', 'DL.init']),
  shortened(excerpt('Row.tsx', component, ['export function Row'])),
];

export const edictLines = [serverExcerpt, ...clientExcerpts]
  .flatMap(({ lines }) => lines)
  .filter(({ isEdict }) => isEdict).length;
