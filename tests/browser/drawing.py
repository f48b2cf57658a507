"""How a display looks: pictures of it, and whether its words stand out from what is behind them."""

from pathlib import Path
from typing import Any

from browser.jupyterlab import Notebook

ENOUGH = 4.5
"""The contrast of words of usual size that WCAG 2.2 asks for (1.4.3, level AA)."""

FAINT = """(area, enough) => {
    const numbers = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map(c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = element => {
        for (let at = element; at; at = at.parentElement) {
            const [r, g, b, a = 1] = numbers(getComputedStyle(at).backgroundColor);
            if (a > 0.99 && r !== undefined) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const faint = [];
    const ours = ['.relay-lab *', ...['button', 'select', 'label'].map(name => `.relay-controls ${name}`)].join();
    for (const element of area.querySelectorAll(ours)) {
        const own = [...element.childNodes].some(each => each.nodeType === 3 && each.textContent.trim());
        if (!own || !element.getClientRects().length || element.disabled || element.tagName === 'STYLE') continue;
        const [a, b] = [luminance(numbers(getComputedStyle(element).color)), luminance(behind(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < enough) faint.push(`${element.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
    }
    return faint;
}"""


def faint_words(book: Notebook) -> list[str]:
    """The words of our displays in this notebook that stand out too little, each with its contrast."""
    found: list[str] = book.area.evaluate(FAINT, ENOUGH)
    return found


def picture(book: Notebook, cell: int, to: Path) -> Any:
    """A picture of the output of a cell, counted from 0."""
    output = book.area.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output").last
    output.scroll_into_view_if_needed()
    return output.screenshot(path=to)
