"""Papers of the world: agreement with the other readers, and what a person read on them.

Nobody knows the true text of these papers, so a reader is held against what the *others* agree on of the running
text: lines of some length, running headers and what stands in the margins taken out, accents taken off (some readers
print them beside their letters). Formulas, axes and labels are where readers differ without being wrong.
"""

import collections
import functools
import json
import operator
import re
import unicodedata

import score

# Two readers that follow the content of the file are one witness of what follows what, and so are two that go by where
# things stand on the page: what one of each kind says is the consensus. The rest are judged by it.
CONTENT = ("pymupdf", "pypdf")
PLACE = ("techrag", "pdftotext")
JURY = CONTENT + PLACE
FAMILY = {"pymupdf_joined": "pymupdf", "pymupdf4llm": "pymupdf"}


# Shorter lines are labels, cells, formulas, ends of paragraphs; a margin is this share of a page's height.
LINE = 30
MARGIN = 0.07
# Who has the rights stands at the foot of a first page, at any height.
RIGHTS = re.compile(r"(?:©|c⃝|\(c\)) ?\d{4}\b", re.IGNORECASE)


def furniture(file):
    """Lines in the margins of pages, of rights, and at page edges that repeat; digits aside."""
    import pymupdf

    seen, margins, pages = collections.Counter(), set(), 0
    for page in pymupdf.open(file):
        pages += 1
        lines = []
        for block in page.get_text("dict")["blocks"]:
            for line in block.get("lines", []):
                text = "".join(span["text"] for span in line["spans"]).strip()
                if text:
                    lines.append(shape(text))
                    if RIGHTS.match(text) or line["bbox"][3] < MARGIN * page.rect.height or line["bbox"][1] > (1 - MARGIN) * page.rect.height:
                        margins.add(shape(text))
        seen.update(set(lines[:3] + lines[-3:]))
    return margins | {line for line, count in seen.items() if count >= max(2, pages / 4)}


def shape(line):
    return re.sub(r"\d+", "#", line.strip())


def segments(text, without):
    """Words of the running text, in stretches of lines that follow each other.

    A stretch ends with its page: what a reader that goes page by page gives next is the head of the next page, be it a
    float or the other half of a sentence. Of a word that the end of a stretch breaks, half a word is none.
    """
    found, lines = [], []
    for line in [*text.split("\n"), ""]:
        if line != "\f" and shape(line) in without:
            continue
        if len(line.strip()) >= LINE:
            lines.append(line)
        elif lines:
            words = tokens("\n".join(lines))
            found.append(words[:-1] if lines[-1].rstrip().endswith("-") else words)
            lines = []
    return found


def tokens(text):
    plain = unicodedata.normalize("NFD", re.sub("[´`ˆ˜¨ˇ˘¸˚]", "", text))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return [word for word in score.bare(plain) if len(word) > 1 and word.isalpha()]


def counted(stretches):
    """Words and 6-grams of some stretches."""
    return {what: sum(map(count, stretches), collections.Counter())
            for what, count in (("words", collections.Counter), ("order", score.grams))}


def kinds(counts):
    """What a reader of each kind has; `counts` is {reader: words or 6-grams}."""
    most = [functools.reduce(operator.or_, (counts[name] for name in kind if name in counts), collections.Counter())
            for kind in (CONTENT, PLACE)]
    return most[0] & most[1]


def any_two(counts):
    """What any two of three have, be they of one kind."""
    keys = set().union(*counts.values())
    return collections.Counter({key: sorted(count[key] for count in counts.values())[-2] for key in keys})


def agreement(found, files):
    """{reader: Score} of words and order against the consensus of the others."""
    scores = {name: score.Score() for name in found}
    for file in files:
        without = furniture(file)
        jurors = {name: counted(segments(found[name][file]["text"], without)) for name in JURY if name in found}
        for name in found:
            text = found[name][file]["text"]
            own = tokens("\n".join(line for line in text.split("\n") if shape(line) not in without))
            others = [other for other in jurors if other not in (name, FAMILY.get(name))]
            for what, count in (("words", collections.Counter), ("order", score.grams)):
                counts = {other: jurors[other][what] for other in others}
                scores[name].add(what, *score.held(kinds(counts), count(own)))
                scores[name].add(f"{what}, any two", *score.held(any_two(counts), count(own)))
            scores[name].add("hyphens", len(re.findall(r"[^\W\d_]-[ \t]*\n\s*[a-z]", text)), 1)
            scores[name].add("ligatures", sum(text.count(c) for c in score.LIGATURES), 1)
    return scores


def labelled(found, labels, folder):
    """{reader: Score} of headings, titles, authors, years and DOIs against the labels."""
    scores = {name: score.Score() for name in found}
    for paper, label in labels.items():
        for name, read in found.items():
            got, at = read[str(folder / paper)], scores[name]
            if "headings" in label and got.get("headings") is not None:
                score.headings(at, label["headings"], got["headings"])
            if "title" not in got:
                continue
            at.add("title", score.tight(got["title"] or "") == score.tight(label["title"]), 1)
            at.add("year", got.get("year") == label["year"], 1)
            at.add("doi", (got.get("doi") or None) == label["doi"], 1)
            names = [score.tight(author) for author in got.get("authors") or []]
            at.add("authors", names == [score.tight(author) for author in label["authors"]], 1)
    return scores


def judged(found, places, folder):
    """{reader: Score} of what follows what at places where readers disagree, judged on a picture of the page."""
    scores = {name: score.Score() for name in found}
    for paper in sorted({place["file"] for place in places}):
        without = furniture(folder / paper)
        for name, read in found.items():
            text = read[str(folder / paper)]["text"]
            own = long_words("\n".join(line for line in text.split("\n") if shape(line) not in without))
            for place in places:
                if place["file"] == paper and "reads" in place:
                    hit = any(re.search(followed(reads), own) for reads in place["reads"])
                    scores[name].add(f"lot {place.get('lot', 1)}", hit, 1)
    return scores


def followed(reads):
    """A pattern of words that follow each other; letters of a formula that run together may stand between them."""
    return r"\b" + r"(?: \w{3,4}){0,3} ".join(long_words(reads).split()) + r"\b"


def long_words(text):
    """Words of three letters and more, a space between them: letters of formulas are no words."""
    return " ".join(word for word in tokens(text) if len(word) > 2 and word.isascii())


def labels(path, of="papers"):
    return json.loads(path.read_text(encoding="utf-8"))[of]
