import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ["curves", "learning", "ratings", "simulate", "strength"]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_listed_name_of_a_package_loads_and_is_no_module(package: str) -> None:
    module = import_module(f"ludometer.{package}")
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert name in dir(module)
        assert type(getattr(module, name)) is not type(sys)


def test_an_unknown_name_is_refused_as_python_refuses_it() -> None:
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        from ludometer.ratings import nonsense  # noqa: F401


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_no_module_of_it(package: str) -> None:
    code = f"import sys, ludometer.{package}; print([m for m in sys.modules if m.startswith('ludometer.{package}.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
