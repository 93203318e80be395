#!/usr/bin/env python3
"""Scores an extractor on printed layouts by halves.

usage: score.py SCORER CASES BINARY [made-on|left-out|both|all]

A layout is left out if the last hexadecimal digit of the SHA-256 of its category, as expected.json spells it
("layout/a01-qb-classic"), is even. left-out.txt lists these categories; the script fails if the list and the rule differ.
The result of a left-out document is never printed alone: only sums over the half are.
"""
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile


def left_out(category):
    return int(hashlib.sha256(category.encode()).hexdigest()[-1], 16) % 2 == 0


def sure_and_wrong(scorer, cases, only, answers, verdicts):
    """Returns the wrong values with a confidence of at least 0.8 in EXTRACTED documents, and the number of all values in them."""
    paths = {"seller_name": "seller.name", "seller_tax_id": "seller.tax_id", "buyer_name": "buyer.name"}
    wrong = stated = 0
    for name, got in verdicts.items():
        invoice = (answers.get(name) or {}).get("invoice") or {}
        if invoice.get("status") != "EXTRACTED":
            continue
        fields = invoice.get("fields") or {}
        for field, verdict in got.items():
            if verdict not in ("right", "wrong"):
                continue
            stated += 1
            confidence = (fields.get(paths.get(field, field)) or {}).get("confidence")
            wrong += verdict == "wrong" and confidence is not None and confidence >= 0.8
    return wrong, stated


def main():
    scorer, cases, binary, which = sys.argv[1:5]
    records = json.load(open(os.path.join(cases, "expected.json")))["files"]
    categories = sorted({r["category"] for r in records})
    out = [c for c in categories if left_out(c)]
    listed = open(os.path.join(os.path.dirname(__file__), "left-out.txt")).read().split()
    if listed != out:
        sys.exit("left-out.txt and the rule differ")
    halves = {"made-on": [c for c in categories if c not in out], "left-out": out, "all": categories}
    chosen = {"both": ["made-on", "left-out"]}.get(which, [which])
    files = [r for r in records if any(r["category"] in halves[h] for h in chosen)]
    run = subprocess.run([binary, "extract"] + [os.path.join(cases, r["file"]) for r in files], stdout=subprocess.PIPE)
    answers = {}
    for line in run.stdout.decode(errors="replace").splitlines():
        answer = json.loads(line)
        answers[os.path.basename(answer["file"])] = answer
    with tempfile.TemporaryDirectory() as folder:
        saved, marks = os.path.join(folder, "answers"), os.path.join(folder, "verdicts")
        open(saved, "wb").write(run.stdout)
        for half in chosen:
            only = "^(?:%s)-" % "|".join(re.escape(c.removeprefix("layout/")) for c in halves[half])
            print(f"== {half}: {len(halves[half])} layouts")
            done = subprocess.run(
                [scorer, "--confidence", "--json", marks, "--only", only, cases, "--", "sh", "-c", 'cat "$0"', saved],
                stdout=subprocess.PIPE, text=True, check=True)
            for line in done.stdout.splitlines():
                if half == "made-on" or not line.startswith("layout/"):
                    print(line)
            wrong, stated = sure_and_wrong(scorer, cases, only, answers, json.load(open(marks)))
            print(f"sure and wrong in EXTRACTED documents: {wrong} of {stated} stated values, {100 * wrong / max(stated, 1):.2f} %")
            refused = [r for r in records if r["category"] in halves[half] and r["outcome"] == "not_an_invoice"]
            codes = collections.Counter((answers[r["file"]].get("error") or {}).get("code", "none") for r in refused)
            print(f"documents that are no invoice: {len(refused)}, answered: {dict(codes)}")


main()
