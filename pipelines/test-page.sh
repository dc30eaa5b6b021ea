#!/usr/bin/env bash
# An HTML answer about the fixture papers, opened in headless Chromium (check-page.mjs says what is looked at).
# usage: test-page.sh FOLDER   (keeps playwright-core, the page and its screenshots there)
# records: PDFs → library; question → rendered answer
set -euo pipefail
folder=${1:?usage: test-page.sh FOLDER}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$folder"
if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
  echo "test-page: installing chromium" >&2
  apt-get install -y --no-install-recommends chromium >"$folder/chromium.log" 2>&1 ||
    { echo "test-page: no Chromium: install it, or set CHROMIUM to its path ($folder/chromium.log)" >&2; exit 4; }
fi
[ -d "$folder/node_modules/playwright-core" ] || (cd "$folder" && npm install --silent --no-save playwright-core)
"$here/ingest.sh" "$here/../fixtures/papers" "$folder/library" >/dev/null
{
  echo "Why does the estimator built on the bend of the force-slip curve come out too low when only little grip is being used?"
  echo "Which viscosity grade of engine oil do rally cars need in the arctic winter?"
} | "$here/ask.sh" "$folder/library" --format html >"$folder/answer.html" || [ $? -eq 1 ]
cd "$folder"
node "$here/check-page.mjs" "$folder/answer.html" "$folder"
echo "page and screenshots: $folder/answer.html, light.png, dark.png"
