// Allows one process per PGlite folder. Two processes would overwrite each other's rows without an error.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Locks the folder, and returns the function that unlocks it. Throws if another running process has locked it. */
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
    // The process is running, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
