"""How much of what is true a reader gives, in the right order, and what it damages on the way."""

import collections
import difflib
import re
import unicodedata

LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
# Dashes and quotation marks are a matter of taste.
SAME = str.maketrans({**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„″", '"'),
                      "\u00ad": None})


def fold(text):
    return unicodedata.normalize("NFKC", text).translate(SAME).casefold()


def words(text):
    """Words with their inner hyphens and apostrophes; numbers, and marks set to names, apart."""
    return re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+", fold(text))


def bare(text):
    """Words without hyphens: broken, joined and hyphenated forms are one, so that order is judged apart from them."""
    text = re.sub(r"(?<=\w)-\s*\n\s*(?=\w)", "", fold(re.sub(r"\u00ad(?=\s*\n)", "-", text)))
    return re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=\w)[-'](?=\w)", "", text))


def tight(text):
    """Letters and digits only."""
    return "".join(c for c in fold(text) if c.isalnum())


def grams(tokens, n=6):
    return collections.Counter(tuple(tokens[at:at + n]) for at in range(len(tokens) - n + 1))


def held(wanted, got):
    """Share of a multiset found in another: (hits, total)."""
    return sum((wanted & got).values()), sum(wanted.values())


class Score:
    """Hits and totals by name, added over papers."""

    def __init__(self):
        self.sums = collections.defaultdict(lambda: [0, 0])

    def add(self, name, hits, total):
        self.sums[name][0] += hits
        self.sums[name][1] += total

    def share(self, name):
        hits, total = self.sums.get(name, (0, 0))
        return hits / total if total else None

    def count(self, name):
        return self.sums[name][0] if name in self.sums else None


def text(score, truth, found):
    """Words, characters, order, hyphens, ligatures and captions of one paper."""
    pieces = [piece for kind, pieces in truth["blocks"] if kind != "equation" for piece in pieces]
    wanted, got = collections.Counter(words("\n".join(pieces))), collections.Counter(words(found))
    score.add("words", *held(wanted, got))
    score.add("characters", *held(collections.Counter(tight("".join(pieces))), collections.Counter(tight(found))))
    # Order within what is continuous in the source: mathematics and cells break it.
    order = sum((grams(bare(piece)) for kind, pieces in truth["blocks"] if kind not in ("equation", "cell")
                 for piece in pieces), collections.Counter())
    score.add("order", *held(order, grams(bare(found))))
    hyphens, ligatures = damaged(wanted, got, found)
    score.add("hyphens", hyphens, 1)
    score.add("ligatures", ligatures, 1)
    whole = tight(found)
    captions = [tight(pieces[0]) for kind, pieces in truth["blocks"] if kind == "caption"]
    score.add("captions", sum(caption in whole for caption in captions), len(captions))
    follow = paragraph_order(truth, whole)
    score.add("sequence", *follow)


def damaged(wanted, got, found):
    """Words that a hyphen or a ligature damaged: there, but broken, wrongly joined or with letters lost."""
    true, whole, loose = collections.Counter(), collections.Counter(), collections.Counter(bare(found))
    for word, count in wanted.items():
        letters = word.replace("-", "").replace("'", "")
        true[letters] += count
        whole[letters] += min(count, got[word])
    hyphens = sum(max(0, min(count, loose[letters]) - whole[letters]) for letters, count in true.items())
    kept = sum(found.count(ligature) for ligature in LIGATURES)
    extra, lost = got - wanted, 0
    for word in wanted - got:
        for pair in ("ffi", "ffl", "ff", "fi", "fl"):
            if pair in word and any(word.replace(pair, other) in extra for other in ("", " ", pair[0], pair[-1])):
                lost += 1
                break
    return hyphens, kept + lost


def paragraph_order(truth, whole):
    """Consecutive paragraphs of the source that follow each other in the text: (hits, total)."""
    places = []
    for kind, pieces in truth["blocks"]:
        if kind in ("paragraph", "heading"):
            probe = max((tight(piece) for piece in pieces), key=len)[:40]
            places.append(whole.find(probe) if len(probe) > 12 else -1)
    places = [place for place in places if place >= 0]
    return sum(a < b for a, b in zip(places, places[1:])), max(0, len(places) - 1)


def headings(score, wanted, found):
    """Recall and precision of headings; without their numbers, since not every reader gives those."""
    strip = lambda text: tight(re.sub(r"^[\divx.]+\s+", "", text.strip(), flags=re.I))
    wanted = {strip(text) for text in wanted}
    found = {strip(text) for text in found}
    score.add("headings", len(wanted & found), len(wanted))
    score.add("false headings", len(found - wanted), 1)


def cells(score, grids, found):
    """Cells at their row and column, in the table that fits best."""
    for grid in grids:
        wanted = {(row, column): tight(cell) for row, line in enumerate(grid) for column, cell in enumerate(line)}
        best = 0
        for table in found or []:
            got = {(row, column): tight(cell) for row, line in enumerate(table) for column, cell in enumerate(line)}
            best = max(best, sum(got.get(place) == cell for place, cell in wanted.items()))
        score.add("cells", best, len(wanted))


def references(score, wanted, found):
    """Entries, titles, years, DOIs and family names of the reference list."""
    score.add("entries", min(len(wanted), len(found)), len(wanted))
    for true, got in zip(wanted, found):
        family = lambda name: tight(name.split()[-1])
        score.add("titles", tight(got.get("title") or "") == tight(true["title"]), 1)
        score.add("years", got.get("year") == true["year"], 1)
        score.add("dois", (got.get("doi") or "") == (true["doi"] or "").lower(), 1)
        score.add("names", [family(name) for name in got.get("authors", [])] ==
                  [family(name) for name in true["authors"]], 1)


def similar(a, b):
    """Ratio of two texts as words in order."""
    return difflib.SequenceMatcher(None, words(a), words(b), autojunk=False).ratio()
