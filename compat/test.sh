#!/usr/bin/env bash
# Tests the packed packages with React 17, React 18, and React 19.2. Build the packages first.
set -euo pipefail
cd "$(dirname "$0")"
for version in 17 18 19; do
  # The packages change without a new version number, so npm would keep the copies of an earlier run.
  rm -rf "react-$version/node_modules"
  npm ci --prefix "react-$version" --no-audit --no-fund
done
npx vitest run -c vitest.config.ts "$@"
