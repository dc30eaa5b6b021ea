#!/usr/bin/env python3
"""The words of our own texts, one a line: crates/techrag-core/src/lexicon.txt, by which pages are judged and hyphens mended.

usage: lexicon.py [--min N]     writes the file anew; words seen in fewer than N places (default 1) are left out

Read are the fixture papers' sources, questions and answers, the documents, and the comments of the code: text that is
ours to ship. Names with capitals inside a sentence and anything with digits are left out.
"""

import argparse
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "crates/techrag-core/src/lexicon.txt"


def texts():
    for path in sorted(ROOT.glob("fixtures/papers/src/*.typ")):
        text = re.sub(r"\$[^$]*\$|@[\w-]+|<[\w:-]+>|#\w[\w.-]*", " ", path.read_text(encoding="utf-8"))
        yield text
    for pattern in ("*.md", "docs/*.md", "fixtures/*.md", "fixtures/questions*/*.jsonl", "fixtures/answers/*.jsonl", "fixtures/routes/*.jsonl"):
        for path in sorted(ROOT.glob(pattern)):
            yield re.sub(r"`[^`]*`|https?://\S+|\\[nt]|[\w-]+[./_][\w./-]+", " ", path.read_text(encoding="utf-8"))
    for path in sorted([*ROOT.glob("crates/**/*.rs"), *ROOT.glob("bin/**/*.rs"), *ROOT.glob("tests/*.rs")]):
        for comment in re.findall(r"(?m)^\s*//[/!]?(.*)$", path.read_text(encoding="utf-8")):
            yield re.sub(r"`[^`]*`|\[[^\]]*\]", " ", comment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--min", type=int, default=1)
    args = parser.parse_args()
    counts, capitals = collections.Counter(), collections.Counter()
    for text in texts():
        for word in re.findall(r"(?<![\w'’-])[A-Za-z]+(?![\w'’])", text):
            counts[word.lower()] += 1
            capitals[word.lower()] += word[0].isupper()
    kept = [word for word, count in counts.items()
            if count >= args.min and capitals[word] < 0.8 * count and (len(word) > 1 or word in "ai")]
    OUT.write_text("\n".join(sorted(kept)) + "\n", encoding="utf-8")
    print(f"{len(kept)} words")


if __name__ == "__main__":
    main()
