// The code that a team writes: on the server, and in the browser.

import type { CSSProperties } from 'react';
import { ArrowRight } from 'lucide-react';
import { tokens } from '../code.ts';
import { clientExcerpts, edictLines, serverExcerpt, type Excerpt, type Line } from './excerpts.ts';
import { quickStart } from './Install.tsx';

export function Code() {
  return (
    <section className="code" id="code" aria-labelledby="code-title">
      <div className="code-text">
        <h2 id="code-title">All that your team writes: {edictLines} lines</h2>
        <p>
          The marked lines, and their imports, are what Edict adds to the API and the components that you
          already have. The code is from an example in the repository, and a test runs it.
        </p>
      </div>
      <div className="code-panes">
        <Pane title="On your server" note="One line for each kind of change" excerpts={[serverExcerpt]} />
        <Pane title="In the browser" note="One hook for each component" excerpts={clientExcerpts} />
        <p className="code-next">
          <a className="button button-main" href={quickStart}>
            Build it in ten minutes
            <ArrowRight size={15} aria-hidden="true" />
          </a>
        </p>
      </div>
    </section>
  );
}

interface PaneProps {
  title: string;
  note: string;
  excerpts: readonly Excerpt[];
}

function Pane({ title, note, excerpts }: PaneProps) {
  return (
    <div className="pane">
      <header className="pane-head">
        <h3>{title}</h3>
        <p>{note}</p>
      </header>
      {excerpts.map(({ file, lines }) => (
        <figure key={file} className="file">
          <figcaption>{file}</figcaption>
          <pre>
            <code>
              {lines.map((line, at) => (
                // The lines never change.
                // oxlint-disable-next-line react/no-array-index-key
                <CodeLine key={at} line={line} />
              ))}
            </code>
          </pre>
        </figure>
      ))}
    </div>
  );
}

function CodeLine({ line: { text, isEdict } }: { line: Line }) {
  const [start = ''] = /^\s*[\w.]*/.exec(text) ?? [];
  // What does not fit continues a little deeper than the line begins.
  const style: CSSProperties = { '--indent': text.length - text.trimStart().length };
  return (
    <span className="code-line" data-edict={isEdict || undefined} style={style}>
      {/* Without a line break between the indentation and the first word. */}
      <span className="code-start">
        <Tokens text={start} />
      </span>
      <Tokens text={text.slice(start.length)} />
      {'\n'}
    </span>
  );
}

const Tokens = ({ text }: { text: string }) =>
  tokens(text).map(({ kind, text: part }, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the tokens never change
    <span key={at} data-token={kind}>
      {part}
    </span>
  ));
