// Saves the session as a file, and opens a saved one.

import * as React from 'react';
import { exportSession, importSession } from './sessionFile.ts';
import type { Session } from './session.ts';

export interface SessionCardProps {
  readonly session: Session;
  readonly onImport: (session: ReturnType<typeof importSession>) => void;
}

function save(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `edict-session-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function SessionCard({ session, onImport }: SessionCardProps): React.ReactElement {
  const input = React.useRef<HTMLInputElement>(null);
  const [error, setError] = React.useState('');

  async function open(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    try {
      onImport(importSession(await file.text()));
    } catch {
      setError(`${file.name} is not a session of these devtools.`);
    }
  }

  return (
    <section className="card">
      <h2>Session</h2>
      <p className="quiet">
        The timeline, the cache, and the connection as one JSON file. It contains the cached data.
      </p>
      <div className="actions">
        <button type="button" className="button" onClick={() => save(exportSession(session))}>
          Export
        </button>
        <button type="button" className="button" onClick={() => input.current?.click()}>
          Import
        </button>
        <input
          ref={input}
          className="hidden"
          type="file"
          accept="application/json,.json"
          aria-label="Session file"
          tabIndex={-1}
          onChange={({ target }) => {
            void open(target.files?.[0]);
            target.value = ''; // The same file can be chosen again.
          }}
        />
      </div>
      <p role="alert" className={error === '' ? 'hidden' : 'error'}>
        {error}
      </p>
    </section>
  );
}
