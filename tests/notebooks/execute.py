"""`make notebooks`: runs every notebook in place, so that running it twice changes no byte.

What is kept beside source and outputs is the same on every machine: ids by position, no times, no version of Python, and
of a widget its static table only, without the style sheet, for the widget itself lives in a kernel that is gone.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CELL_TIMEOUT_S = 120
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_OF_A_CELL = ("tags", "editable", "deletable", "nbgrader")
WIDGET = "application/vnd.jupyter.widget-view+json"
# JupyterLab drops it from a notebook that has not been run yet, and a change of it is no change of an output.
STYLE_SHEET = re.compile(r"<style>.*?</style>", re.DOTALL)


def executed(path: Path) -> str:
    """The notebook as it is committed. Raises what nbclient raises where a cell fails that is not tagged to."""
    notebook: Any = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{path.stem}-{number:03d}"
    notebook.nbformat_minor = 5
    notebook.metadata = nbformat.from_dict(METADATA)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    return cleaned(notebook)


def cleaned(notebook: Any) -> str:
    """The text of an executed notebook without anything that differs from one run to the next."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in KEPT_OF_A_CELL if key in cell.metadata}
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            data.pop(WIDGET, None)
            if "text/html" in data:
                data["text/html"] = STYLE_SHEET.sub("", data["text/html"])
            if output.output_type == "error":  # the frames hold the paths of one machine
                output.traceback = [f"{output.ename}: {output.evalue}"]
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def main(names: list[str]) -> None:
    """Execute the notebooks of these names, or every one, and write those that changed."""
    # Kernels take this over: the reader's progress is neither read nor touched by the course's own runs.
    os.environ["RELAY_LAB_STATE"] = "off"
    paths = [NOTEBOOKS / f"{Path(name).stem}.ipynb" for name in names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    for path in paths:
        before, after = path.read_text("utf-8"), executed(path)
        if after != before:
            path.write_text(after, "utf-8")
        print(f"{path.name}: {'unchanged' if after == before else 'written'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
