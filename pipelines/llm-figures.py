#!/usr/bin/env python3
"""Questions for test-llm.sh, and the figures of its run as Markdown.

    llm-figures.py questions ROOT WORK    the sample of fixture questions and labelled routes into WORK
    llm-figures.py report ROOT WORK       what came of them, for docs/LLM.md
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path

# Of the testing half: each kind of question, two that the papers do not answer.
KINDS = ["single", "comparison", "how-why", "cross-paper", "section", "figure-table", "numeric"]
SINGLE, MULTI, UNANSWERABLE, ROUTES_EACH, ROUTES_TWO = 17, 5, 2, 4, 2


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def write(path: Path, questions: list[dict]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps({"_id": q["_id"], "text": q["text"]}, ensure_ascii=False) + "\n" for q in questions)


def chosen(root: Path) -> tuple[list[dict], list[dict]]:
    """The questions for one call and for four agents, by kind in turn, in order of id."""
    test = [q for q in read(root / "fixtures/questions/questions.jsonl") if q["half"] == "test"]
    by_kind = {kind: [q for q in test if q["kind"] == kind and q["answerable"]] for kind in KINDS}
    turns = [by_kind[kind][turn] for turn in range(3) for kind in KINDS if turn < len(by_kind[kind])]
    multi = [q for q in turns if q["kind"] in ("comparison", "how-why", "cross-paper")][:MULTI]
    single = [q for q in turns if q not in multi][: SINGLE - UNANSWERABLE]
    return single + [q for q in test if not q["answerable"]][:UNANSWERABLE], multi


def routes(root: Path) -> list[dict]:
    """Labelled questions of the testing half: the first of each route, and of those with two."""
    test = [q for q in read(root / "fixtures/routes/questions.jsonl") if q["half"] == "test"]
    sample: list[dict] = []
    for name in ("content", "bibliometric", "trend", "current_world"):
        sample += [q for q in test if q["routes"] == [name]][:ROUTES_EACH]
    return sample + [q for q in test if len(q["routes"]) > 1][:ROUTES_TWO]


def questions(root: Path, work: Path) -> None:
    single, multi = chosen(root)
    write(work / "single.jsonl", single)
    write(work / "multi.jsonl", multi)
    write(work / "routes.jsonl", routes(root))


def folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", "", re.sub(r"[‐-―−]", "-", text))


def holds(answer: dict, gold: list[str]) -> bool:
    text = folded(answer["text"])
    return all(any(folded(form) in text for form in fact.split("|")) for fact in gold)


def percent(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def answers(root: Path, work: Path, mode: str, kind: str) -> list[str]:
    gold = {q["_id"]: q for q in read(root / "fixtures/questions/questions.jsonl")}
    records = read(work / f"{mode}-{kind}.jsonl")
    checks = [record.get("checks", {}) for record in records]
    verified, total = (sum(check.get(name, 0) for check in checks) for name in ("verified", "total"))
    asked = [record for record in records if not record["answer"]["abstained"]]
    answerable = [record for record in records if gold[record["_id"]]["answerable"]]
    right = sum(holds(record["answer"], gold[record["_id"]]["gold"]) for record in answerable)
    false_refusals = sum(record["answer"]["abstained"] for record in answerable)
    others = [record for record in records if not gold[record["_id"]]["answerable"]]
    refused = sum(record["answer"]["abstained"] for record in others)
    medals = [record["answer"].get("medal", "none") for record in asked]
    # As `render` decides: a refusal, or no claim that is verified.
    unsaid = sum(record["answer"]["abstained"] or not record["checks"]["verified"] for record in answerable)
    fallen = None if kind == "extractive" else sum("fallback" in record["answer"] for record in records)
    return [
        percent(right, len(answerable)),
        percent(verified, total),
        percent(false_refusals, len(answerable)),
        percent(unsaid, len(answerable)),
        percent(refused, len(others)) if others else "–",
        ", ".join(f"{medals.count(medal)} {medal}" for medal in ("gold", "silver", "bronze", "none") if medal in medals),
        "–" if fallen is None else str(fallen),
    ]


def calls(root: Path) -> dict[str, list[dict]]:
    by_agent: dict[str, list[dict]] = {}
    for call in read(root / "tests/llm/calls.jsonl"):
        if "reply" in call:
            by_agent.setdefault(call["agent"], []).append(call["reply"])
    return by_agent


def accuracy(root: Path, work: Path, who: str) -> tuple[str, str]:
    labels = {q["_id"]: q["routes"] for q in read(root / "fixtures/routes/questions.jsonl")}
    records = read(work / f"routes-{who}.jsonl")
    exact = sum(record["route"]["routes"] == labels[record["_id"]] for record in records)
    among = sum(bool(set(record["route"]["routes"]) & set(labels[record["_id"]])) for record in records)
    return percent(exact, len(records)), percent(among, len(records))


def answer_lines(root: Path, work: Path) -> list[str]:
    single, multi = (len(read(work / f"{mode}-checked.jsonl")) for mode in ("single", "multi"))
    out = [
        "## Answers",
        "",
        f"{single} fixture questions of the testing half by one call (`--mode single`), {multi} by four agents (`--mode multi`),",
        "and the same ones by the extractive writer on the same evidence. *Its own words* are the model's answers as they are",
        "(`--fallback none`); *after the fallback* is what a user gets: where no claim of the model's answer can be verified,",
        "the extractive answer stands, and says so. *Right*: the answer holds every gold fact. *Verified*: share of citations",
        "whose quotation holds the claim (`techrag-answer check`). *Printed as a refusal*: answerable ones that refuse or have no",
        "verified claim. *Fell back*: answers where the extractive one stands because the model failed or none of its claims",
        "stood. Where the extractive writer refuses, no model is asked: such a refusal counts for all. The evidence is what",
        "eight hits give, two passages a paper: less than the pipeline takes by default.",
        "",
        "| writer | right | citations verified | false refusals | printed as a refusal | unanswerable refused | medals | fell back |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for mode in ("single", "multi"):
        out.append(f"| `{mode}`, its own words | " + " | ".join(answers(root, work, mode, "checked")) + " |")
        out.append(f"| `{mode}`, after the fallback | " + " | ".join(answers(root, work, mode, "stands")) + " |")
        out.append("| extractive, same questions | " + " | ".join(answers(root, work, mode, "extractive")) + " |")
    return [*out, ""]


def route_lines(root: Path, work: Path) -> list[str]:
    if not (work / "routes-llm.jsonl").is_file():
        return ["## Routes", "", "Not measured in this run.", ""]
    rules, model = accuracy(root, work, "rules"), accuracy(root, work, "llm")
    return [
        "## Routes",
        "",
        f"{len(routes(root))} labelled questions of the testing half, {ROUTES_TWO} of them with two routes.",
        "",
        "| router | all routes right | a right one among them |",
        "|---|---|---|",
        f"| rules | {rules[0]} | {rules[1]} |",
        f"| model | {model[0]} | {model[1]} |",
        "",
        "On the whole labelled set the rules are held to 95 % by the tests of `techrag-agents`, the half never looked at",
        "included.",
        "",
    ]


def doubt_lines(work: Path) -> list[str]:
    if not (work / "doubts.jsonl").is_file():
        return []
    plain = {record["_id"]: record for record in read(work / "multi-assembled.jsonl")}
    doubts = read(work / "doubts.jsonl")
    lowered = sum(record["evidence"]["verdict"] != plain[record["_id"]]["evidence"]["verdict"] for record in doubts)

    def named(record: dict) -> int:
        return sum(len(record["verification"][key]) for key in ("off_topic", "gaps", "contradictions"))

    own, rules = sum(map(named, doubts)), sum(named(plain[record["_id"]]) for record in doubts)
    return [
        "## Doubts",
        "",
        f"The model as reviewer (`techrag-score --reviewer llm`) lowered the verdict of {lowered} of {len(doubts)} questions, and as",
        f"verifier (`techrag-answer assemble --verify llm`) named {own - rules} sources, gaps or contradictions beside the {rules} of",
        "the rules. It can lower a medal that way, never raise one.",
        "",
    ]


def call_lines(root: Path) -> list[str]:
    model = next(iter(calls(root).values()))[0]["model"]
    out = [
        "## Calls",
        "",
        f"Model as the server names it: `{model}`. Seconds are wall time on a shared machine and include waiting for the",
        "processor; tokens are the server's own count.",
        "",
        "| agent | calls | tokens in | tokens out | seconds a call |",
        "|---|---|---|---|---|",
    ]
    for agent, replies in sorted(calls(root).items()):
        tokens_in, tokens_out = (sum(reply[f"{kind}_tokens"] for reply in replies) for kind in ("prompt", "completion"))
        seconds = sum(reply["ms"] for reply in replies) / 1000 / len(replies)
        out.append(f"| {agent} | {len(replies)} | {tokens_in:,} | {tokens_out:,} | {seconds:.1f} |")
    return [*out, "", "Every call is in `tests/llm/calls.jsonl` by the hash of its request; `make test` replays them."]


def report(root: Path, work: Path) -> None:
    head = [
        "# With a language model",
        "",
        "Written by `make test-llm`; do not edit. The model is Qwen2.5-Coder-1.5B-Instruct at 4 bits, served by llama.cpp on",
        "one core within a context of 4,096 tokens: the smallest that can do the work at all, fetched by `make llm`. The",
        "figures say that the agents work with such a model and what their checks are worth; they say nothing about large",
        "models. Prompts are cut to 700 estimated tokens.",
        "",
    ]
    print("\n".join(head + answer_lines(root, work) + route_lines(root, work) + doubt_lines(work) + call_lines(root)))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("questions", "report"):
        sys.exit(__doc__)
    (questions if sys.argv[1] == "questions" else report)(Path(sys.argv[2]), Path(sys.argv[3]))
