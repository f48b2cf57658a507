"""Many at once on one file: a transaction takes the write lock first, so what was read still holds when it is written."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

from relay_lab.store.runtime_store import open_store
from relay_lab.store.sqlite import SqliteDatabase

PROCESSES, THREADS, TIMES = 8, 2, 4

COUNT = """
def count(store, times):
    for _ in range(times):
        with store.transaction() as tx:
            row = tx.one("SELECT value FROM setting WHERE name = 'count'")
            tx.run(
                "INSERT OR REPLACE INTO setting (name, value) VALUES ('count', ?)",
                str(int(row["value"] if row else 0) + 1),
            )
"""
# One process imports everything and then divides: forking from a test worker, which has threads, is not safe.
CROWD = (
    COUNT
    + """
import os, sys
from pathlib import Path
from relay_lab.store.runtime_store import open_store

path, processes, times = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
held, go = os.pipe()
children = []
for _ in range(processes):
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(held, 1)  # until every process has been made
        store = open_store(path)
        count(store, times)
        store.close()
        os._exit(0)
    children.append(child)
os.close(held)
os.close(go)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""
)
UNFINISHED = """
import sys
from pathlib import Path
from relay_lab.store.runtime_store import open_store

store = open_store(Path(sys.argv[1]))
with store.transaction() as tx:
    tx.run("INSERT INTO setting (name, value) VALUES ('committed', 'x')")
with store.transaction() as tx:
    tx.run("INSERT INTO setting (name, value) VALUES ('unfinished', 'x')")
    print("writing", flush=True)
    sys.stdin.read()
"""


def settings(store: SqliteDatabase) -> dict[str, str]:
    with store.transaction() as tx:
        return {row["name"]: row["value"] for row in tx.rows("SELECT * FROM setting")}


def test_eight_processes_that_make_the_file_and_count_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runtime.db"
    command = [sys.executable, "-c", CROWD, str(path), str(PROCESSES), str(TIMES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    store = open_store(path)
    assert settings(store) == {"count": str(PROCESSES * TIMES)}
    store.close()


def test_two_threads_that_share_a_store_lose_nothing() -> None:
    scope: dict[str, object] = {}
    exec(COUNT, scope)
    store = open_store(None)
    ready = threading.Barrier(THREADS)

    def work() -> None:
        ready.wait()
        scope["count"](store, 200)  # type: ignore[operator]

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings(store) == {"count": str(THREADS * 200)}
    store.close()


def test_two_threads_with_a_store_each_lose_nothing(tmp_path: Path) -> None:
    scope: dict[str, object] = {}
    exec(COUNT, scope)
    stores = [open_store(tmp_path / "runtime.db") for _ in range(THREADS)]
    threads = [threading.Thread(target=scope["count"], args=(store, TIMES)) for store in stores]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings(stores[0]) == {"count": str(THREADS * TIMES)}
    for store in stores:
        store.close()


def test_a_process_killed_inside_a_transaction_leaves_what_it_had_committed_and_no_lock(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runtime.db"
    child = subprocess.Popen(
        [sys.executable, "-c", UNFINISHED, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "writing\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    store = open_store(path)
    assert settings(store) == {"committed": "x"}
    store.close()
