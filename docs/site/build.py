#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the documents a static site: build.py SOURCES FOLDER.

Pages keep their places (docs/model.md is docs/model.html), so that links need little change; what they link to beside pages is
copied. cmark-gfm makes the HTML of Markdown, mandoc that of manual pages. Links that lead nowhere are errors."""
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

HERE = Path(__file__).resolve().parent
HEADING = re.compile(r"<h([1-6])(?: id=\"([^\"]*)\")?>(.*?)</h\1>", re.DOTALL)
LINK = re.compile(r"\b(href|src)=\"([^\"]*)\"")
TAG = re.compile(r"<[^>]*>")


def text_of(markup):
    return html.unescape(TAG.sub("", markup)).strip()


def slug(title, seen):
    """As GitHub makes it."""
    base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    number = seen.get(base, -1) + 1
    seen[base] = number
    return f"{base}-{number}" if number else base


class Page:
    def __init__(self, source, place, title, body):
        self.source, self.place, self.title, self.body = source, place, title, body
        self.ids = set()

    def up(self):
        return "../" * (len(Path(self.place).parts) - 1)


def run(*command, text=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def markdown(root, source):
    body = run("cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", root / source)
    seen = {}

    def anchor(match):
        level, _, inner = match.groups()
        name = slug(text_of(inner), seen)
        return f'<h{level} id="{name}">{inner}<a class="here" href="#{name}" aria-label="link to this section">#</a></h{level}>'

    body = HEADING.sub(anchor, body)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    first = HEADING.search(body)
    title = text_of(first[3]).rstrip("#") if first else source.stem
    place = "index.html" if str(source) == "README.md" else str(source.with_suffix(".html"))
    return Page(source, place, title, body)


def manual(root, source):
    body = run("mandoc", "-T", "html", "-O", "fragment,man=%N.html", root / source)
    body = re.sub(r'href="(?!sluice)[^"/#]*\.html"', 'href="#"', body)
    return Page(source, str(source.with_suffix(".html")), f"{source.stem}({source.suffix[1:]})", f'<div class="manual">{body}</div>')


def header(root, source):
    text = html.escape((root / source).read_text(), quote=False)
    text = re.sub(r"(/\*.*?\*/|//[^\n]*)", r"<i>\1</i>", text, flags=re.DOTALL)
    text = re.sub(r"#include &lt;(sluice/\w+\.h)&gt;", lambda m: f'#include &lt;<a href="{Path(m[1]).name}.html">{m[1]}</a>&gt;', text)
    return Page(source, f"{source}.html", f"{source.parent.name}/{source.name}", f"<h1>{source.parent.name}/{source.name}</h1><pre class=\"header\">{text}</pre>")


def read(root):
    sources = [Path(name) for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    for pattern in ("docs/*.md", "papers/*.md", "papers/*/*.md", "workloads/*.md", "hip/*.md"):
        sources += sorted(path.relative_to(root) for path in root.glob(pattern))
    pages = [markdown(root, source) for source in sources if (root / source).exists()]
    pages += [manual(root, path.relative_to(root)) for path in sorted(root.glob("man/*.1"))]
    pages += [header(root, path.relative_to(root)) for path in sorted(root.glob("include/sluice/*.h"))]
    return pages


def groups(root, pages):
    """What the sides of pages list: the table of documents in README.md, then the rest."""
    found, listed = [], set()
    places = {str(page.source): page for page in pages}
    table = (root / "README.md").read_text().split("\n## Documents\n")[1]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.fullmatch(r"\*\*(\w+)\*\*|learn", cells[0])
        if name:
            found.append(((name[1] or name[0]).capitalize(), []))
        for title, target in re.findall(r"\[([^\]]*)\]\(([^)#]*)\)", cells[0]):
            if target in places and found:
                found[-1][1].append((title, places[target]))
                listed.add(target)
    rest = [page for page in pages if str(page.source) not in listed and page.place != "index.html"]
    for title, top in (("Manual", "man"), ("C headers", "include"), ("Results", "papers"), ("More", "")):
        of = [(page.title.replace("Results: ", ""), page) for page in rest if str(page.source).startswith(top)]
        rest = [page for page in rest if not str(page.source).startswith(top)]
        if of:
            found.append((title, of))
    return found


class Site:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.pages = read(root)
        self.places = {str(page.source): page for page in self.pages}
        self.groups = groups(root, self.pages)
        self.files, self.dead = set(), []

    def link(self, page, target):
        """Where a link of a page leads to on the site."""
        if re.match(r"[a-z]+:|#|//", target) or not target:
            return target
        path, _, fragment = target.partition("#")
        if str(page.source).startswith(("man/", "include/")):
            return target
        found = os.path.normpath(os.path.join(os.path.dirname(page.source), unquote(path)))
        fragment = "#" + fragment if fragment else ""
        if found in self.places:
            return os.path.relpath(self.places[found].place, os.path.dirname(page.place) or ".") + fragment
        if os.path.isfile(self.root / found):
            self.files.add(found)
            return target
        if os.path.isdir(self.root / found):
            inside = [name for name in (f"{found}/README.md", f"{found}/RESULTS.md") if name in self.places]
            if inside:
                return os.path.relpath(self.places[inside[0]].place, os.path.dirname(page.place) or ".") + fragment
            self.files.update(str(path.relative_to(self.root)) for path in (self.root / found).glob("*") if path.is_file())
            self.lists.add(found)
            return os.path.join(path, "index.html")
        self.dead.append(f"{page.source}: {target}")
        return target

    def side(self, page):
        lines = []
        for name, of in self.groups:
            here = any(other is page for _, other in of)
            lines.append(f"<details{' open' if here or name in ('Learn', 'Refer') else ''}><summary>{html.escape(name)}</summary><ul>")
            for title, other in of:
                current = ' aria-current="page"' if other is page else ""
                lines.append(f'<li><a href="{page.up()}{other.place}"{current}>{html.escape(title)}</a></li>')
            lines.append("</ul></details>")
        return "\n".join(lines)

    def frame(self, page, body):
        up = page.up()
        name = html.escape(page.title if page.place == "index.html" else f"{page.title} · Sluice")
        return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}</title>
<link rel="stylesheet" href="{up}style.css">
<header><a href="{up}index.html">Sluice</a>
<form role="search"><input id="search" type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off"></form></header>
<div id="found" hidden data-up="{up}"></div>
<div id="page"><nav aria-label="Documents"><details id="menu" open><summary>Documents</summary>
{self.side(page)}
</details></nav>
<main>
{body}
</main></div>
<script src="{up}index.js" defer></script>
<script src="{up}search.js" defer></script>
</html>
"""

    def write(self):
        self.lists = set()
        index = []
        for page in self.pages:
            body = LINK.sub(lambda m: f'{m[1]}="{html.escape(self.link(page, html.unescape(m[2])))}"', page.body)
            self.save(page.place, self.frame(page, body))
            index += sections(page)
        for folder in self.lists:
            names = sorted(path.name for path in (self.root / folder).glob("*") if path.is_file())
            items = "".join(f'<li><a href="{html.escape(name)}">{html.escape(name)}</a></li>' for name in names)
            page = Page(Path(folder), f"{folder}/index.html", folder, "")
            self.save(page.place, self.frame(page, f"<h1>{html.escape(folder)}</h1><ul>{items}</ul>"))
        for name in self.files:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / name, self.folder / name)
        self.save("index.js", "window.sluiceIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.folder / name)

    def save(self, place, text):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def sections(page):
    """What search looks through: [place, title of the page, heading, text] of each section."""
    found, at, heading, anchor = [], 0, "", ""
    for match in [*HEADING.finditer(page.body), None]:
        text = re.sub(r"\s+", " ", text_of(page.body[at : match.start() if match else len(page.body)]))
        if text or heading:
            found.append([page.place + (f"#{anchor}" if anchor else ""), page.title, heading, text])
        if match:
            at, heading, anchor = match.end(), text_of(match[3]).rstrip("#"), match[2] or ""
    return found


def check(folder):
    """Links of the pages as they were written, their fragments included."""
    dead, ids = [], {}

    def names(path):
        if path not in ids:
            ids[path] = set(re.findall(r"\bid=\"([^\"]*)\"", path.read_text(encoding="utf-8")))
        return ids[path]

    for path in sorted(folder.rglob("*.html")):
        for _, target in LINK.findall(path.read_text(encoding="utf-8")):
            target = html.unescape(target)
            if re.match(r"[a-z]+:|//", target):
                continue
            name, _, fragment = target.partition("#")
            to = Path(os.path.normpath(path.parent / unquote(name))) if name else path
            if not to.is_file() or (fragment and to.suffix == ".html" and html.unescape(fragment) not in names(to)):
                dead.append(f"{path.relative_to(folder)}: {target}")
    return dead


def main(root, folder):
    site = Site(root.resolve(), folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site.write()
    dead = sorted({*site.dead, *check(folder)})
    if dead:
        sys.exit("links that lead nowhere:\n  " + "\n  ".join(dead))
    print(f"{len(site.pages)} pages, {sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) >> 10} KiB")


if len(sys.argv) != 3:
    sys.exit("usage: build.py SOURCES FOLDER")
main(Path(sys.argv[1]), Path(sys.argv[2]))
