// One process for one PGlite folder: two would both write to it and lose each other's rows, without a word.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Throws when another living process has the folder. Returns what gives it back. */
export function lockFolder(folder: string): () => void {
  const file = `${folder}.lock`;
  const owner = ownerOf(file);
  if (owner !== null && owner !== process.pid && isAlive(owner)) {
    throw new Error(
      `Another desk (process ${owner}) is using ${folder}. End it, or set DATA_FOLDER to another folder, or DATABASE_URL to a PostgreSQL.`,
    );
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

function ownerOf(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
