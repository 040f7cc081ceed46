#!/usr/bin/env node
// `npm create edict`: asks for a folder and a template, or takes them as arguments, and writes the template there.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as prompts from '@clack/prompts';
import { templates, writeTemplate } from './write.js';

const help = `Usage: npm create edict@latest [folder] -- [--template <name>]

Templates:
${templates.map(({ name, hint }) => `  ${name.padEnd(24)}${hint}`).join('\n')}`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      template: { type: 'string', short: 't' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (positionals.length > 1) throw new Error(`One folder is enough, not ${positionals.join(', ')}.`);
  return { ...values, folder: positionals[0] };
}

const faultOfFolder = (folder) => {
  if (folder.trim() === '') return 'Name a folder.';
  if (!existsSync(folder)) return undefined;
  if (!statSync(folder).isDirectory()) return `${folder} is not a folder.`;
  return readdirSync(folder).length > 0 ? `${folder} is not empty.` : undefined;
};

const faultOfTemplate = (name) =>
  templates.some((one) => one.name === name)
    ? undefined
    : `There is no template ${name}. There are: ${templates.map((one) => one.name).join(', ')}.`;

/** The argument, or the user's choice without one. */
async function choose({ given, option, fault, ask }) {
  if (given !== undefined) {
    const message = fault(given);
    if (message !== undefined) throw new Error(message);
    return given;
  }
  if (!process.stdin.isTTY) throw new Error(`Pass ${option}.\n\n${help}`);
  const answer = await ask();
  if (prompts.isCancel(answer)) process.exit(130);
  return answer;
}

async function main() {
  const args = readArguments();
  if (args.help) return console.log(help);
  const folder = await choose({
    given: args.folder,
    option: 'a folder',
    fault: faultOfFolder,
    ask: () =>
      prompts.text({
        message: 'Which folder?',
        initialValue: 'edict-app',
        validate: (text) => faultOfFolder(text ?? ''),
      }),
  });
  const template = await choose({
    given: args.template,
    option: '--template <name>',
    fault: faultOfTemplate,
    ask: () =>
      prompts.select({
        message: 'Which template?',
        options: templates.map(({ name, hint }) => ({ value: name, label: name, hint })),
      }),
  });
  writeTemplate({ template, to: resolve(folder), name: basename(resolve(folder)) });
  const shown = /\s/.test(folder) ? `"${folder}"` : folder;
  console.log(`\nWrote ${template} to ${folder}. Next:\n\n  cd ${shown}\n  npm install\n  npm run dev\n`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
