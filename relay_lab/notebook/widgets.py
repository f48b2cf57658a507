"""The widget library, asked for where it is used, and what an output cell holds besides a widget."""

from collections.abc import Callable
from typing import Any

from relay_lab.contracts.errors import BadInput
from relay_lab.notebook.html import Html

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WHOLE_LABEL = {"description_width": "initial"}
"""The style of a control whose label is shown whole."""


def widget_library() -> Any:
    """ipywidgets. Raises `BadInput` where it is not installed."""
    try:
        import ipywidgets
    except ImportError:
        raise BadInput(
            "widgets need the extra relay-lab[lab]; install it, or look at the run itself."
        ) from None
    return ipywidgets


def bundle(widget: Any, static: Html, plain: str) -> dict[str, Any]:
    """One output in three forms: live, as a table where no kernel answers, as text where nothing is drawn."""
    return {
        WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id},
        "text/html": str(static),
        "text/plain": plain,
    }


def button(word: str, tooltip: str, pressed: Callable[[], object], style: str = "") -> Any:
    """A button that says what it does."""
    made = widget_library().Button(description=word, tooltip=tooltip, button_style=style)
    made.on_click(lambda _: pressed())
    return made
