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
from sklearn.linear_model import LogisticRegression

SEED, FOLDS, BOOSTERS, ROUNDS, STRETCH = 7, 5, 3, 140, 1.5


def parameters(seed, objective):
    return dict(objective=objective, learning_rate=0.1, num_leaves=10, min_data_in_leaf=12, min_sum_hessian_in_leaf=0.1,
                feature_fraction=0.5, bagging_fraction=0.8, bagging_freq=1, lambda_l2=1.0, max_bin=63, extra_trees=True,
                verbose=-1, seed=seed, num_threads=1, deterministic=True, force_row_wise=True)


def load(paths):
    fields = collections.defaultdict(list)
    for path in paths:
        for line in open(path):
            e = json.loads(line)
            if (not e.get("masked") or e["field"] in MASKED) and (not is_varied(e) or e["field"] in VARIED):
                fields[e["field"]].append(e)
    return fields


def fold_of(group):
    import hashlib
    return int(hashlib.sha256(("fold " + group).encode()).hexdigest(), 16) % FOLDS


# The rankers that are better on unseen layouts if they are also trained with the masked copies of the documents.
MASKED = ("buyer", "due_date", "issue_date", "number")

# The rankers that are better on unseen layouts if they are also trained with generated documents that have layouts of their own.
VARIED = ("buyer", "seller")


def is_varied(e):
    return e["group"].startswith("generated/varied")


def weight(e):
    return 0.3 if e.get("masked") else 0.15 if is_varied(e) else 0.4 if e["group"].startswith("generated/") else 1.0


def is_real(e):
    return not e.get("masked") and not e["group"].startswith("generated/")


def fit(examples):
    """Returns boosters of different seeds. Their average generalizes better than each of them.

    The candidates of a document compete: their probabilities and that of no right candidate, which has the score 0, add up
    to 1. The loss is the logarithm of the probability of all right candidates together."""
    x = np.concatenate([np.array(e["rows"], dtype=np.float64) for e in examples])
    right = np.concatenate([np.array(e["right"]) for e in examples])
    sizes = np.array([len(e["rows"]) for e in examples])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of = np.repeat(np.arange(len(examples)), sizes)
    weights = np.array([weight(e) for e in examples])[of]

    def objective(scores, _):
        highest = np.maximum(np.maximum.reduceat(scores, first), 0)
        z = np.exp(scores - highest[of])
        p = z / (np.add.reduceat(z, first) + np.exp(-highest))[of]
        z = z * right
        share = z / np.maximum(np.add.reduceat(z, first), 1e-300)[of]
        # Rounding makes the models independent of the last digit of exp, which processors compute differently.
        return np.round((p - share) * weights, 6), np.round(np.maximum(p * (1 - p), 1e-3) * weights, 6)

    return [lgb.train(parameters(SEED + i, objective), lgb.Dataset(x, right), ROUNDS) for i in range(BOOSTERS)]


def predict(boosters, x):
    scores = np.mean([b.predict(x, raw_score=True) for b in boosters], axis=0)
    highest = max(scores.max(), 0)
    z = np.exp(scores - highest)
    return z / (z.sum() + np.exp(-highest))


def key(field, value):
    if field in ("seller", "buyer"):
        return "".join(c for c in value.lower() if c.isalnum())
    if field == "tax_id":
        return value.replace(" ", "").replace(".", "")
    return value.lower()


def by_value(e, p):
    """Returns the probability of each value of an example, and whether it is right."""
    chance, right = collections.defaultdict(float), {}
    for value, share, r in zip(e["values"], p, e["right"]):
        k = key(e["field"], value)
        chance[k] += share
        right[k] = right.get(k, False) or bool(r)
    return chance, right


def exclude(p, q):
    """Adjusts the probabilities of the values of one party: none is also that of the other party (choose.go)."""
    rest = max(1 - sum(v * q.get(k, 0.0) for k, v in p.items()), 1e-9)
    return {k: v * (1 - q.get(k, 0.0)) / rest for k, v in p.items()}


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


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    folder, *paths = [a for a in sys.argv[1:] if not a.startswith("--")]
    chosen = [a[len("--field="):] for a in options if a.startswith("--field=")]
    fields = {f: [e for e in examples if e["rows"]] for f, examples in sorted(load(paths).items()) if not chosen or f in chosen}
    folds, chances = {}, {}
    for field, examples in fields.items():
        for fold in range(FOLDS):
            outside = [e for e in examples if fold_of(e["group"]) == fold and is_real(e)]
            if not outside:
                continue
            boosters = folds[field, fold] = fit([e for e in examples if fold_of(e["group"]) != fold])
            for e in outside:
                chances[field, e["file"]] = by_value(e, predict(boosters, np.array(e["rows"])))
    for field, examples in fields.items():
        names = next(e["names"] for e in examples if e["names"])
        real = [e for e in examples if is_real(e) and (field, e["file"]) in chances]
        found = sum(any(e["right"]) for e in real if e["stated"])
        stated = sum(e["stated"] for e in real)
        top, points, hits = 0, [], []
        for e in real:
            p, right = chances[field, e["file"]]
            other = chances.get(({"seller": "buyer", "buyer": "seller"}.get(field), e["file"]))
            if other is not None:
                p = exclude(p, other[0])
            best = max(p, key=p.get)
            top += right[best] and e["stated"]
            points.append(p[best])
            hits.append(right[best])
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


GRID = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.985, 0.995, 0.999]


def logit(p):
    p = np.clip(np.array(p, dtype=np.float64), 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p))


def calibrate(points, hits):
    """Returns the share of right values at each point of the grid: a logistic function of the log odds. Two values, of which
    one is wrong, are added at each end, so that few documents do not show certainty. The share is never above that of
    the log odds multiplied by STRETCH: layouts of other senders differ more than those of the folds."""
    line = LogisticRegression(C=10.0).fit(logit(list(points) + [0.0, 1.0] * 2)[:, None], list(hits) + [0, 1, 1, 0])
    most = 1 / (1 + np.exp(-STRETCH * logit(GRID)))
    return [round(float(v), 4) for v in np.clip(np.minimum(line.predict_proba(logit(GRID)[:, None])[:, 1], most), 0.02, 0.99)]


def save(path, model, shares):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    model["points"], model["shares"] = GRID, shares
    with open(path, "w") as file:
        json.dump(model, file, separators=(",", ":"))


main()
