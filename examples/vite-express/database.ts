import sqlite from 'node-sqlite3-wasm';

export interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

/** A file, so that the tickets are still there after a restart. */
const db = new sqlite.Database(process.env.DATABASE ?? 'tickets.db');
db.exec(`CREATE TABLE IF NOT EXISTS tickets (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open'
)`);

const ticketOf = ({ id, title, status }: Record<string, unknown>): Ticket => ({
  id: Number(id),
  title: String(title),
  status: status === 'solved' ? 'solved' : 'open',
});

export const all = (): Ticket[] => db.all('SELECT * FROM tickets ORDER BY id').map(ticketOf);

export function find(id: number): Ticket | null {
  const row = db.get('SELECT * FROM tickets WHERE id = ?', [id]);
  return row === null ? null : ticketOf(row);
}

export function add(title: string): number {
  return Number(db.run('INSERT INTO tickets (title) VALUES (?)', [title]).lastInsertRowid);
}

export const solve = (id: number): boolean =>
  db.run("UPDATE tickets SET status = 'solved' WHERE id = ?", [id]).changes > 0;

export const remove = (id: number): boolean => db.run('DELETE FROM tickets WHERE id = ?', [id]).changes > 0;

if (all().length === 0) ['Printer on fire', 'Password lost', 'Invoice is wrong'].forEach(add);
