"""A part of the package as a patch leaves it: source with one small place replaced, imported in a process of its own."""

import ast
import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from types import CodeType, ModuleType

from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput

ROOT = "relay_lab"


class Patch(Contract):
    """A small visible diff: in the source of `module`, `before` stands exactly once and is replaced by `after`."""

    module: str
    before: str
    after: str

    def applied(self, source: str) -> str:
        """The source after the patch. Raises `BadInput` when `before` does not stand in it exactly once."""
        found = source.count(self.before)
        if found != 1:
            raise BadInput(
                f"{self.module} holds {self.before!r} {found} times; a patch needs a place of its own."
            )
        return source.replace(self.before, self.after)


def source_of(module: str) -> str:
    """The source of a module of the package, which is not imported for it."""
    spec = find_spec(module)
    loader = spec.loader if spec else None
    source = loader.get_source(module) if isinstance(loader, SourceFileLoader) else None
    if source is None:
        raise BadInput(f"there is no source of a module {module!r}.")
    return source


def forget(patches: Sequence[Patch]) -> None:
    """Let go of the modules of these patches and of every module that imports one of them, however far away."""
    imports = graph()
    reached = {patch.module for patch in patches}
    while more := {name for name, others in imports.items() if others & reached} - reached:
        reached |= more
    for name in reached:
        package, _, leaf = name.rpartition(".")
        sys.modules.pop(name, None)
        if package in sys.modules:  # `from package import leaf` would find it there
            vars(sys.modules[package]).pop(leaf, None)


def graph() -> dict[str, frozenset[str]]:
    """What every module of the package that is loaded imports of it. Read once: a fork finds it ready."""
    return {name: _imports(name) for name in list(sys.modules) if name.startswith(f"{ROOT}.")}


def install(patches: Sequence[Patch]) -> None:
    """From now on this process imports these modules patched."""
    sys.meta_path.insert(0, _Finder(patches))


@cache
def _imports(module: str) -> frozenset[str]:
    """Every module of the package that a module imports, inside its functions too."""
    found = set()
    for node in ast.walk(ast.parse(source_of(module))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in found if name.startswith(f"{ROOT}."))


class _Finder(MetaPathFinder):
    def __init__(self, patches: Sequence[Patch]) -> None:
        self._patches = patches

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        mine = [patch for patch in self._patches if patch.module == fullname]
        spec = PathFinder.find_spec(fullname, path, target) if mine else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, mine)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, patches: list[Patch]) -> None:
        super().__init__(fullname, path)
        self._patches = patches

    def get_code(self, fullname: str) -> CodeType:
        """The code of the patched source; nothing of it is cached."""
        source = self.get_source(fullname) or ""
        for patch in self._patches:
            source = patch.applied(source)
        code: CodeType = compile(source, self.path, "exec", dont_inherit=True)
        return code
