#!/usr/bin/env bash
# Tests the built packages in Bun and Deno, which are installed from npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
for package in core server; do npm run build --workspace "$package"; done
rm -rf compat/runtimes/node_modules
# Uses no lock file, because npm omits Deno's packages for other platforms from it, and then rejects the file.
npm install --prefix compat/runtimes --no-package-lock --no-audit --no-fund
npx vitest run -c compat/elsewhere.config.ts runtimes "$@"
