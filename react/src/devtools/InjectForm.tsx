// Applies directives that the user writes, as if they had arrived from the server.

import * as React from 'react';
import type { DataLayer } from '@edict/core';
import { Detail } from './Detail.tsx';

interface InjectFormProps {
  readonly dl: DataLayer;
  readonly onClose: () => void;
}

/** A directive for the first registered type or collection, to be changed. */
function example(dl: DataLayer): string {
  const { types, collections } = dl.state();
  const [type] = Object.keys(types);
  const [collection = 'name'] = Object.keys(collections);
  const directive =
    type === undefined
      ? { op: 'refresh_collection', name: collection }
      : { op: 'refresh_item', name: type, id: 1 };
  return JSON.stringify(directive, null, 2);
}

export function InjectForm({ dl, onClose }: InjectFormProps): React.ReactElement {
  const [text, setText] = React.useState(() => example(dl));
  const [message, setMessage] = React.useState<{ readonly text: string; readonly isBad: boolean } | null>(
    null,
  );

  function apply(event: React.FormEvent): void {
    event.preventDefault();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      setMessage({ text: `Not valid JSON: ${error instanceof Error ? error.message : ''}`, isBad: true });
      return;
    }
    const issues: string[] = [];
    const end = dl.onLifecycle('directive:rejected', ({ detail }) => {
      for (const { path, message: issue } of detail.issues)
        issues.push(path === '' ? issue : `${path} ${issue}`);
    });
    // Anything may be written here. The data layer checks it and reports what it rejects.
    void dl.applyDirectives(
      (Array.isArray(parsed) ? parsed : [parsed]) as Parameters<DataLayer['applyDirectives']>[0],
    );
    end();
    setMessage(
      issues.length > 0
        ? { text: `Rejected: ${issues.join('; ')}`, isBad: true }
        : { text: 'Applied. The timeline shows the effects.', isBad: false },
    );
  }

  return (
    <Detail mark={null} title="Inject directives" onClose={onClose}>
      <form onSubmit={apply}>
        <p className="quiet" id="inject-hint">
          One directive or an array of directives, as JSON. The server is not involved.
        </p>
        <textarea
          aria-label="Directives"
          aria-describedby="inject-hint"
          autoFocus
          rows={8}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="actions">
          <button type="submit" className="button strong">
            Apply
          </button>
        </div>
        <p role="status" className={message?.isBad === true ? 'error' : 'quiet'}>
          {message?.text}
        </p>
      </form>
    </Detail>
  );
}
