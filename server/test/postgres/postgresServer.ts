// A real PostgreSQL on a free loopback port, with its own folder. It is ended by its process id.

import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { freePort } from '../support/freePort.ts';

/** A running PostgreSQL. */
export interface PostgresServer {
  readonly url: string;
  /** A client that is closed with the server. */
  readonly sql: Sql;
  readonly stop: () => Promise<void>;
}

/** Debian has a folder for each version. It can contain some programs even if the server is not installed. */
const folder = [
  process.env['POSTGRES_BIN'] ?? '',
  ...['18', '17', '16', '15', '14', '13'].map((version) => `/usr/lib/postgresql/${version}/bin`),
].find((path) => existsSync(join(path, 'initdb')));

/** Whether the programs of the server are installed. */
export const hasPostgres: boolean = folder !== undefined;

/** Creates a database cluster and starts it. PostgreSQL refuses to run as root, so root runs it as `postgres`. */
export async function startPostgres(): Promise<PostgresServer> {
  if (folder === undefined) throw new Error('These tests need the programs of the PostgreSQL server.');
  const owner =
    process.getuid?.() === 0
      ? {
          uid: Number(execFileSync('id', ['-u', 'postgres'])),
          gid: Number(execFileSync('id', ['-g', 'postgres'])),
        }
      : null;
  const data = mkdtempSync(join(tmpdir(), 'outbox-test-'));
  if (owner !== null) chownSync(data, owner.uid, owner.gid);
  const trust = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(folder, 'initdb'), ['-D', data, ...trust], { ...owner, cwd: data, stdio: 'ignore' });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'lc_messages=C'];
  const server = spawn(
    join(folder, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...owner, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const gone = new Promise((done) => server.once('exit', done));
  await new Promise<void>((done, fail) => {
    let said = '';
    server.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes('ready to accept connections')) done();
    });
    server.once('exit', (code) => fail(new Error(`postgres ended with ${code}:\n${said}`)));
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const sql = postgres(url, { onnotice: () => {} });
  return {
    url,
    sql,
    async stop() {
      await sql.end();
      server.kill('SIGINT'); // Ends the server without waiting for its clients.
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
