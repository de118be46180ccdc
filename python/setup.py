"""What pyproject.toml cannot say: the package notes the checkout that it is installed from, whose build/tepal it then finds."""
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent


class BuildWithCheckout(build_py):
    def run(self):
        super().run()
        if not getattr(self, "editable_mode", False):
            place = Path(self.build_lib) / "tepal" / "_checkout.py"
            place.write_text(f'"""The checkout that this package was installed from."""\nROOT = {str(ROOT)!r}\n')


setup(cmdclass={"build_py": BuildWithCheckout})
