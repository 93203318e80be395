"""Runs the Python examples of the guides against a running sandbox.

Arguments: the root of the project, an empty folder for the programs, and mypy.
DOCLEDGER_ENV_FILE names the values of the sandbox. Each line that a comment
after a print shows must be printed, in this order; … matches any text.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

#: Blocks that show in Python what a block of commands does.
BLOCK = re.compile(r"```sh\n(?:(?!```).)*```\n(?:```ts\n(?:(?!```).)*```\n)?```python\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def main() -> None:
    root, folder, mypy = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    values = dict(line.split("=", 1) for line in Path(os.environ["DOCLEDGER_ENV_FILE"]).read_text().splitlines() if "=" in line)
    (folder / "examples").symlink_to(root / "examples")
    guides = root / "docs" / "guides"
    pages = [guides / "quick-start.md"]
    pages += [page for page in sorted(guides.glob("*.md")) if page.name not in ("README.md", "quick-start.md")]
    pages.append(root / "docs" / "webhooks.md")
    sign_in = BLOCK.findall(pages[0].read_text())[0]
    programs = []
    for page in pages:
        blocks = BLOCK.findall(page.read_text())
        code = "\n".join(blocks if page == pages[0] else [sign_in, *blocks])
        expected = SHOWN.findall("\n".join(blocks))
        if not expected:
            sys.exit(f"{page} shows no output in Python.")
        program = folder / f"guide_{page.stem.replace('-', '_')}.py"
        program.write_text(code)
        programs.append((page, program, expected))
    subprocess.run([mypy, "--follow-imports=silent", "--python-executable", sys.executable, *(p for _, p, _ in programs)], check=True)
    for page, program, expected in programs:
        ran = subprocess.run([sys.executable, program], cwd=folder, env=os.environ | values, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{page}: {ran.stderr}\n{ran.stdout}")
        printed = iter(ran.stdout.splitlines())
        for text in expected:
            pattern = re.compile(".+".join(re.escape(part) for part in text.split("…")))
            if not any(pattern.fullmatch(line) for line in printed):
                sys.exit(f"{page} shows {text!r} and prints\n{ran.stdout}")
        print(f"{page.relative_to(root)}: {len(expected)} outputs as shown")


if __name__ == "__main__":
    main()
