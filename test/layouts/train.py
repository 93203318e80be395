#!/usr/bin/env python3
"""Trains the rankers of adapter/extract/pdftext on candidates that readlayouts wrote.

usage: train.py [--folds] [--field=NAME] OUTPUT_FOLDER FEATURES.jsonl...

With --folds it also writes fold0, fold1 … into the output folder: the models that did not see the layouts of that fold.
Needs lightgbm and scikit-learn. The seed is fixed: the same features give the same models. Documents of one layout are
never on both sides of a fold, so that the accuracy and the calibration that are printed are those of unseen layouts.
"""
import collections
import json
import os
import sys

import lightgbm as lgb
import numpy as np
from sklearn.isotonic import IsotonicRegression

SEED, FOLDS = 7, 5
PARTS = [(100, {}), (100, {}), (140, dict(extra_trees=True))]  # the rounds and the further parameters of each booster


def parameters():
    return dict(objective="binary", learning_rate=0.1, num_leaves=10, min_data_in_leaf=12, feature_fraction=0.5,
                bagging_fraction=0.8, bagging_freq=1, lambda_l2=5.0, max_bin=63, verbose=-1, seed=SEED, num_threads=1,
                deterministic=True, force_row_wise=True, min_gain_to_split=0.02)


def load(paths):
    fields = collections.defaultdict(list)
    for path in paths:
        for line in open(path):
            e = json.loads(line)
            fields[e["field"]].append(e)
    return fields


def fold_of(group):
    import hashlib
    return int(hashlib.sha256(("fold " + group).encode()).hexdigest(), 16) % FOLDS


def weight(e):
    return 0.4 if e["group"].startswith("generated/") else 1.0


def fit(examples):
    """Returns boosters of different kinds and seeds. Their average generalizes better than each of them."""
    x = np.concatenate([np.array(e["rows"], dtype=np.float64) for e in examples])
    y = np.concatenate([np.array(e["right"]) for e in examples])
    # Each document has the same weight for any number of candidates. Its right candidates together have the weight of its wrong ones.
    w = []
    for e in examples:
        right = max(sum(e["right"]), 1)
        w += [weight(e) * (2.0 / right if r else 1.0) for r in e["right"]]
    return [lgb.train(dict(parameters(), seed=SEED + i, **more), lgb.Dataset(x, y, weight=np.array(w)), rounds)
            for i, (rounds, more) in enumerate(PARTS)]


def predict(boosters, x):
    return 1 / (1 + np.exp(-np.mean([b.predict(x, raw_score=True) for b in boosters], axis=0)))


def odds(best, rival):
    p = best * (1 - rival) / max(best * (1 - rival) + rival * (1 - best), 1e-9)
    return min(best, p)


def key(field, value):
    if field in ("seller", "buyer"):
        return "".join(c for c in value.lower() if c.isalnum())
    if field == "tax_id":
        return value.replace(" ", "").replace(".", "")
    return value.lower()


def outcome(e, p):
    """Returns whether the top candidate is right, its probability, and that of the next other value."""
    order = np.argsort(-p, kind="stable")
    top = order[0]
    rival = 0.0
    for i in order[1:]:
        if key(e["field"], e["values"][i]) != key(e["field"], e["values"][top]):
            rival = p[i]
            break
    return bool(e["right"][top]), float(p[top]), float(rival)


def export(boosters, names):
    trees = []
    for info in (info for b in boosters for info in b.dump_model()["tree_info"]):
        t = dict(f=[], t=[], l=[], r=[], v=[])

        def walk(node):
            if "leaf_value" in node and "split_feature" not in node:
                t["v"].append(round(node["leaf_value"] / len(boosters), 5))
                return -len(t["v"])
            at = len(t["f"])
            t["f"].append(node["split_feature"])
            t["t"].append(round(node["threshold"], 6))
            t["l"].append(0)
            t["r"].append(0)
            t["l"][at] = walk(node["left_child"])
            t["r"][at] = walk(node["right_child"])
            return at

        walk(info["tree_structure"])
        trees.append(t)
    return dict(names=names, trees=trees)


def exclude(p, q):
    """Adjusts the probabilities of the seller and the buyer: no candidate is both (choose.go)."""
    both = p * (1 - q) + q * (1 - p) + (1 - p) * (1 - q)
    return p * (1 - q) / both


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    folder, *paths = [a for a in sys.argv[1:] if not a.startswith("--")]
    chosen = [a[len("--field="):] for a in options if a.startswith("--field=")]
    fields = {f: [e for e in examples if e["rows"]] for f, examples in sorted(load(paths).items()) if not chosen or f in chosen}
    folds, chances = {}, {}
    for field, examples in fields.items():
        for fold in range(FOLDS):
            outside = [e for e in examples if fold_of(e["group"]) == fold and not e["group"].startswith("generated/")]
            if not outside:
                continue
            boosters = folds[field, fold] = fit([e for e in examples if fold_of(e["group"]) != fold])
            for e in outside:
                chances[field, e["file"]] = predict(boosters, np.array(e["rows"]))
    for field, examples in fields.items():
        names = next(e["names"] for e in examples if e["names"])
        real = [e for e in examples if (field, e["file"]) in chances]
        found = sum(any(e["right"]) for e in real if e["stated"])
        stated = sum(e["stated"] for e in real)
        top, points, hits = 0, [], []
        for e in real:
            p = chances[field, e["file"]]
            other = chances.get(({"seller": "buyer", "buyer": "seller"}.get(field), e["file"]))
            right, best, rival = outcome(e, p if other is None else exclude(p, other))
            top += right and e["stated"]
            points.append(odds(best, rival))
            hits.append(right)
        shares = calibrate(points, hits)
        bands, right_in = collections.Counter(), collections.Counter()
        for p, h in zip(points, hits):
            c = float(np.interp(p, GRID, shares))
            b = 0.9 if c >= 0.9 else 0.8 if c >= 0.8 else 0.6 if c >= 0.6 else 0.0
            bands[b] += 1
            right_in[b] += h
        save(os.path.join(folder, field + ".json"), export(fit(examples), names), shares)
        for fold in range(FOLDS) if "--folds" in options else ():
            if (field, fold) in folds:
                save(os.path.join(folder, f"fold{fold}", field + ".json"), export(folds[field, fold], names), shares)
        print(f"{field:12} documents {len(real)}, stated {stated}, among the candidates {found}, first on unseen layouts {top}; "
              + ", ".join(f"{b}: {right_in[b]}/{bands[b]}" for b in sorted(bands, reverse=True)))


GRID = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.985, 0.995]


def calibrate(points, hits):
    """Returns the share of right choices at each point of the grid, lowered where few choices show it."""
    iso = IsotonicRegression(y_min=0.02, y_max=0.99, out_of_bounds="clip").fit(points + [0.0, 1.0] * 2, hits + [0, 1, 0, 1])
    fitted = iso.predict(points)
    shares = []
    for v in iso.predict(GRID):
        near = np.abs(fitted - v) < 0.02
        n = int(near.sum())
        shares.append((float(v) * n + 0.5) / (n + 2) if n else float(v))
    return [round(v, 4) for v in np.maximum.accumulate(np.minimum(shares, 0.99))]


def save(path, model, shares):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    model["points"], model["shares"] = GRID, shares
    with open(path, "w") as file:
        json.dump(model, file, separators=(",", ":"))


main()
