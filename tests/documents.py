"""The blocks and commands of documentation pages, for tests that run them."""

import json
import re
import shlex


def blocks(path):
    """Language and text of the fenced blocks of a page; of a notebook, those in its words."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "".join("".join(c["source"]) + "\n" for c in cells if c["cell_type"] == "markdown")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.S | re.M)


def commands(text):
    """Lines of a block, and the parts of lines that are joined by &&."""
    for line in text.replace("\\\n", " ").splitlines():
        for command in line.split("&&"):
            words = shlex.split(command, comments=True)
            if words:
                yield words
