"""
Forty names that attack whoever shows, stores or sorts them.

    Hostile     a name, what it attacks, and why no reader takes it, if none does
    NAMES       forty of them
    TAKEN       those that are taken: they are shown as they are, and do nothing
    REFUSED     those that are refused, with a sentence at the cell

The same texts stand for tournaments, cities, reasons, labels and addresses. Written with escapes
wherever a reader of this file would see something else than what is there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hostile:
    """A name, what it attacks, and what the sentence says that refuses it."""

    text: str
    attacks: str
    refused: str = ""


NAMES: tuple[Hostile, ...] = (
    # pages
    Hostile("<script>alert(document)</script>", "a script in a page"),
    Hostile("</script><script>alert(document)</script>", "a script that ends one of ours"),
    Hostile('" onmouseover="alert(document)', "an attribute in double quotes"),
    Hostile("' onfocus='alert(document)' autofocus='", "an attribute in single quotes"),
    Hostile("<svg/onload=alert(document)>", "a picture that runs when it is drawn"),
    Hostile("<img src=x onerror=alert(document)>", "a picture that fails"),
    Hostile("</title></textarea></table><h1>Hacked", "elements that hold text only"),
    Hostile("]]><!--<a>", "sections and comments of XML"),
    Hostile("&ltb&gt &amp &#60", "what was escaped already; with a semicolon names are refused"),
    Hostile("javascript:alert(document)", "a link"),
    # templates, formats of text
    Hostile("{{ 7 * 7 }}{{ config }}{% for a in b %}", "a template"),
    Hostile("%s %(name)s %d 100%", "a format with percents"),
    Hostile("{0} {name} {0.__class__} ${7*7}", "a format with braces"),
    Hostile('"}],"points":1e9,[{"', "JSON"),
    Hostile("*a* _b_ `c` [d](/e.test) | f", "Markdown"),
    Hostile("#set page(width: 1pt) $x$ @a <b>", "Typst, which makes the PDF"),
    Hostile("[bold red]a[/] [link=/e.test]b[/link]", "markup of the terminal"),
    # spreadsheets
    Hostile("=cmd|' /C calc'!A0", "a formula that runs a program"),
    Hostile("+1+1", "a formula with a sign"),
    Hostile("-2+3", "another one"),
    Hostile("@SUM(1,1)", "a formula of old"),
    Hostile("'=1+1", "an apostrophe that hides a formula"),
    Hostile('a","b\';"c', "cells of CSV"),
    # addresses, databases, files
    Hostile("../../etc/passwd", "a path"),
    Hostile("?a=b&c=d#e;f", "an address"),
    Hostile("%0d%0aSet-Cookie:a=b %2e%2e%2f", "a header, and what was quoted already"),
    Hostile("' OR 1=1; DROP TABLE entries --", "SQL"),
    Hostile("null Novak", "what is nothing elsewhere"),
    Hostile("NaN Novak", "what is no number"),
    # letters
    Hostile("\u0645\u062d\u0645\u062f 12 \u05d3\u05d5\u05d3", "the direction of text"),
    Hostile("Z\u0335\u0321\u0322\u0327\u0328\u0360" * 8, "the height of a line"),
    Hostile(
        "\U00020000\U0002a6d6\U00020bb7",
        "letters of four bytes, and of two halves",
    ),
    Hostile("\u0410d\u0430 N\u043ev\u0430k", "the eye: Cyrillic letters in a Latin name"),
    Hostile("W" * 190, "the width of a page"),
    Hostile("Ada \u202ekavoN", "the order of letters", "U+202E"),
    Hostile("Ada\u200dNovak", "joined letters", "U+200D"),
    Hostile("Ada\u200b\u2060Novak", "the eye: letters that are not there", "U+200B"),
    Hostile("Ada\r\n2020-01-01 forged", "lines of a log", "a line break"),
    Hostile("Ada \x1b[2J\x07\x00", "a terminal", "U+001B"),
    Hostile("A" * 10_240, "whatever counts on short names", "10,240 characters long; 200"),
)
"""Forty of them."""

TAKEN = tuple(one for one in NAMES if not one.refused)
REFUSED = tuple(one for one in NAMES if one.refused)
