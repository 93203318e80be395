#!/usr/bin/env python3
"""Scores an extractor on scans. Each field of a refused file counts as missing.

usage: score.py SCORER CASES BINARY [CATEGORY-PREFIX]

Prints the code of each refused file, then the share of fields that are right or correctly empty, the number of wrong values
with high confidence, and the number of refused files.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

FIELDS = 13  # that the scorer judges of an invoice


def main():
    scorer, cases, binary = sys.argv[1:4]
    prefix = sys.argv[4] if len(sys.argv) > 4 else ""
    records = json.load(open(os.path.join(cases, "expected.json")))
    records = records if isinstance(records, list) else records.get("files") or records.get("records")
    chosen = [r for r in records if r["category"].startswith(prefix) and r["outcome"] in ("extract", "needs_ocr")]
    run = subprocess.run([binary, "extract"] + [os.path.join(cases, r["file"]) for r in chosen], stdout=subprocess.PIPE)
    answers = {}
    for line in run.stdout.decode(errors="replace").splitlines():
        answer = json.loads(line)
        answers[os.path.relpath(answer["file"], cases)] = answer
    with tempfile.TemporaryDirectory() as folder:
        saved, marks = os.path.join(folder, "answers"), os.path.join(folder, "verdicts")
        open(saved, "wb").write(run.stdout)
        only = "^(?:%s)$" % "|".join(re.escape(r["file"]) for r in chosen)
        done = subprocess.run(
            [scorer, "--wrong", "--json", marks, "--only", only, cases, "--", "sh", "-c", 'cat "$0"', saved],
            stdout=subprocess.PIPE, text=True)
        print(done.stdout)
        verdicts = json.load(open(marks))
    right = refused = 0
    for r in chosen:
        error = (answers.get(r["file"]) or {"error": {"code": "no answer"}}).get("error")
        if error:
            refused += 1
            print(f"refused: {r['file']}: {error['code']}")
            continue
        right += sum(v in ("right", "empty") for v in verdicts.get(r["file"], {}).values())
    total = FIELDS * len(chosen)
    sure = re.findall(r"sure_wrong=(\d+)", done.stdout)
    print(f"scans={len(chosen)} fields={right}/{total} share={100 * right / max(total, 1):.1f} % refused={refused} sure_wrong={sure[-1] if sure else '?'}")


main()
