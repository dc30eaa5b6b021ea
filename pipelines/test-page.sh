#!/usr/bin/env bash
# HTML answers about the fixture papers, opened in headless Chromium (check-page.mjs says what is looked at): quotations, the
# catalog's answers and a refusal on one page; on another what `make test-llm` recorded of a real model, with quotations
# where none of its claims stood.
# usage: test-page.sh FOLDER   (keeps playwright-core, the pages and their screenshots there)
# records: PDFs → library; question → rendered answer; sources, prompt and recorded calls → rendered answer
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
  echo "How many papers of 2021 are in my library?"
  echo "List all papers by Raman"
  echo "Which viscosity grade of engine oil do rally cars need in the arctic winter?"
} | "$here/ask.sh" "$folder/library" --format html >"$folder/answer.html" || [ $? -eq 1 ]
for place in "${TECHRAG_BIN:-}" "$here/../target/release"; do
  [ -n "$place" ] && [ -x "$place/techrag-agents" ] && PATH=$place:$PATH && break
done
kept=$here/../tests/llm
model=$(python3 -c 'import json, sys; print(next(call["reply"]["model"] for call in map(json.loads, open(sys.argv[1])) if "reply" in call))' "$kept/calls.jsonl")
# As llm-figures.py and test-llm.sh asked: other prompts would not be among the recorded calls.
techrag-agents generate --mode single --max-prompt-tokens 700 --llm-replay "$kept/calls.jsonl" --llm-model "$model" --offline <"$kept/single.jsonl" |
  techrag-answer check | techrag-answer render --format html >"$folder/model.html" || [ $? -eq 1 ]
for text in "counted in the library" "listed from the library" "Not found in the provided sources."; do
  grep -q "$text" "$folder/answer.html" || { echo "test-page: the page does not say: $text" >&2; exit 1; }
done
grep -q "quotations of the sources stand instead" "$folder/model.html" || { echo "test-page: no answer fell back" >&2; exit 1; }
cd "$folder"
mkdir -p model
node "$here/check-page.mjs" "$folder/answer.html" "$folder"
node "$here/check-page.mjs" "$folder/model.html" "$folder/model"
echo "pages and screenshots: $folder/answer.html, light.png, dark.png; model.html, model/light.png, model/dark.png"
