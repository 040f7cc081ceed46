#!/usr/bin/env bash
# The built packages in Bun and Deno, as npm has them.
set -euo pipefail
cd "$(dirname "$0")/../.."
for package in core server; do npm run build --workspace "$package"; done
rm -rf compat/runtimes/node_modules
# Without a lock file: npm leaves other platforms' packages of Deno out of it, and then refuses it.
npm install --prefix compat/runtimes --no-package-lock --no-audit --no-fund
npx vitest run -c compat/elsewhere.config.ts runtimes "$@"
