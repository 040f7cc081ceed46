#!/usr/bin/env bash
# The packed packages under React 17, 18 and the 19 of before 19.3. The packages have to be built first.
set -euo pipefail
cd "$(dirname "$0")"
for version in 17 18 19; do
  # The packages change under one version number: what an earlier run installed is not what is built now.
  rm -rf "react-$version/node_modules"
  npm ci --prefix "react-$version" --no-audit --no-fund
done
npx vitest run -c vitest.config.ts "$@"
