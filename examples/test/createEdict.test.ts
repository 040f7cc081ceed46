// `npm create edict` without a terminal.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../create-edict/src/main.js', import.meta.url));

/** Runs the program in a new folder that contains one file. */
function run(...args: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'edict-create-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'a-file'), '');
  return { cwd, ...spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8', input: '' }) };
}

describe('create-edict', () => {
  it('writes a template, names it after the folder, and prints commands for a shell', () => {
    const { cwd, status, stdout } = run('My App', '--template', 'vite-express');
    expect([status, stdout]).toEqual([0, expect.stringContaining('cd "My App"')]);
    const app = join(cwd, 'My App');
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).toMatchObject({ name: 'my-app' });
    expect(existsSync(join(app, '.gitignore'))).toBe(true);
  });

  it('leaves out the files of the database that a run of the example has made', () => {
    const made = fileURLToPath(new URL('../vite-express/test.db.lock', import.meta.url));
    onTestFinished(() => rmSync(made));
    writeFileSync(made, '');
    const { cwd } = run('app', '--template', 'vite-express');
    expect(readdirSync(join(cwd, 'app'))).not.toContain('test.db.lock');
  });

  it.each([
    [['a-file', '--template', 'vue'], 'a-file is not a folder.'],
    [['.', '--template', 'vue'], '. is not empty.'],
    [['app', '--template', 'nope'], 'There is no template nope. There are: vite-express'],
    [['app', 'other'], 'One folder is enough, not app, other.'],
    [['--template', 'vue'], 'Pass a folder.'],
    [['app'], 'Pass --template <name>.'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = run(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('the templates', () => {
  it('keep files with secrets out of repositories', () => {
    for (const name of readTemplates()) {
      const ignored = readFileSync(fileURLToPath(new URL(`../${name}/.gitignore`, import.meta.url)), 'utf8');
      expect([name, ignored.split('\n')]).toEqual([name, expect.arrayContaining(['node_modules', '.env*'])]);
    }
  });

  it('link to nothing outside of their folder', () => {
    for (const name of readTemplates()) {
      const readme = readFileSync(fileURLToPath(new URL(`../${name}/README.md`, import.meta.url)), 'utf8');
      expect([name, readme.match(/\]\(\.\.\/[^)]*\)/g)]).toEqual([name, null]);
    }
  });
});

const readTemplates = (): string[] =>
  [...run('--help').stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
