#!/usr/bin/env bash
# Tests the built packages in the Firefox and the WebKit of Debian. Installs missing programs.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=()
for pair in firefox-esr:firefox-esr WebKitWebDriver:webkit2gtk-driver xvfb-run:xvfb; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]} with apt-get."
  sh scripts/install-debian.sh "${missing[@]}"
fi
npm ci --prefix compat/browsers --no-audit --no-fund
for package in core react server; do npm run build --workspace "$package"; done
npx tsc -b compat/browsers
npx vitest run -c compat/elsewhere.config.ts browsers "$@"
