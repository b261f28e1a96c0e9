#!/usr/bin/env python3
"""What the devices of a project counted, read from its store with nothing but Python's standard library: pairs by action, the most frequent
pairs, and on demand a counts file for `penumbra estimate`. The store may be in use meanwhile. lib/host/STORE.md describes its tables.

    examples/counts/read_counts.py project.db rover.json -o counts.json
"""

import argparse
import json
import pathlib
import sqlite3
import sys

PENUMBRA = 0x506E6D62  # the store's mark in a SQLite file's header: "Pnmb"
VERSION = 1


def stop(status, message):
    print(message, file=sys.stderr)
    sys.exit(status)


def open_store(path):
    """Read-only: sqlite3.connect(path) would make a file that is missing."""
    if not pathlib.Path(path).is_file():
        stop(4, f"{path}: there is no such file")
    store = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True)
    application, version = (store.execute(f"PRAGMA {key}").fetchone()[0] for key in ("application_id", "user_version"))
    if application != PENUMBRA:
        stop(3, f"{path}: is not a Penumbra store, but another program's SQLite file")
    if version != VERSION:
        stop(3, f"{path}: is a Penumbra store of version {version}, and this script knows version {VERSION}")
    return store


def read_names(path, actions, observations):
    """Names from a model file, or numbers where it has none."""
    if path is None:
        return [[str(i) for i in range(n)] for n in (actions, observations)]
    try:
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        labels = [model[key] if isinstance(model[key], list) else [str(i) for i in range(model[key])] for key in ("actions", "observations")]
    except OSError as error:
        stop(4, f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        stop(3, f"{path}: is not a model in JSON")
    if [len(names) for names in labels] != [actions, observations]:
        stop(3, f"{path}: has {len(labels[0])} actions and {len(labels[1])} observations, the store {actions} and {observations}")
    return labels


def main():
    parser = argparse.ArgumentParser(description="What the devices of a project counted.")
    parser.add_argument("store")
    parser.add_argument("model", nargs="?", help="a model in JSON, for the names of actions and observations")
    parser.add_argument("-o", metavar="COUNTS.json", dest="output", help="write the counts, as `penumbra estimate` reads them")
    arguments = parser.parse_args()
    try:
        store = open_store(arguments.store)
        sizes = store.execute("SELECT actions, observations FROM devices").fetchall()
        boots = store.execute("SELECT count(*) FROM incarnations").fetchone()[0]
        pairs = store.execute("SELECT a, a2, o, o2, count FROM total_pairs").fetchall()
    except sqlite3.Error as error:
        stop(3, f"{arguments.store}: cannot be read as a Penumbra store: {error}")
    if not sizes:
        stop(3, f"{arguments.store}: knows no device yet")
    A, O = sizes[0]
    action, observation = read_names(arguments.model, A, O)

    samples = [sum(row[4] for row in pairs if row[0] == a) for a in range(A)]
    print(f"{sum(samples)} pairs of {len(sizes)} devices over {boots} boots\n\npairs  first action")
    for a in range(A):
        print(f"{samples[a]:5}  {action[a]}")
    print("\npairs  action: observation, next action: observation")
    for a, a2, o, o2, count in sorted(pairs, key=lambda row: (-row[4], row[:4]))[:10]:
        print(f"{count:5}  {action[a]}: {observation[o]}, {action[a2]}: {observation[o2]}")

    if arguments.output:
        table = [[[[0] * O for _ in range(O)] for _ in range(A)] for _ in range(A)]
        for a, a2, o, o2, count in pairs:
            table[a][a2][o][o2] = count
        try:
            with open(arguments.output, "w", encoding="utf-8") as file:
                json.dump({"penumbra": "counts/1", "pairs": table, "samples": samples}, file)
        except OSError as error:
            stop(4, f"{arguments.output}: {error.strerror}")


if __name__ == "__main__":
    main()
