// Copies the examples into the package before it is packed, and removes them afterwards (`--remove`).

import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTemplate, templates } from './write.js';

const folder = fileURLToPath(new URL('../templates', import.meta.url));
rmSync(folder, { recursive: true, force: true });
const isRemoved = process.argv.includes('--remove');
for (const { name } of isRemoved ? [] : templates) {
  const to = join(folder, name);
  copyTemplate(name, to);
  if (existsSync(join(to, '.gitignore'))) renameSync(join(to, '.gitignore'), join(to, '_gitignore'));
}
