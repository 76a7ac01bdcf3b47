// SPDX-License-Identifier: MIT
// Search over the sections of all pages (index.js): every word must occur; titles and headings count most.
"use strict";
(() => {
    const input = document.getElementById("search"), found = document.getElementById("found"), up = found.dataset.up;
    const menu = document.getElementById("menu");
    const sections = (window.sluiceIndex || []).map(([place, title, heading, text]) =>
        ({ place, title, heading, text, head: (title + " " + heading).toLowerCase(), low: text.toLowerCase() }));
    const whole = (text, word) => new RegExp("(^|\\W)" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "(\\W|$)").test(text);

    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            const inHead = section.head.includes(word), inText = section.low.includes(word);
            if (!inHead && !inText) return 0;
            sum += (inHead ? 10 : 0) + (whole(section.head, word) ? 10 : 0) + (inText ? 1 : 0) + (whole(section.low, word) ? 2 : 0);
        }
        return sum + 1 / (1 + section.text.length / 1000);
    }

    function excerpt(section, words) {
        const at = Math.max(0, Math.min(...words.map(word => section.low.indexOf(word)).filter(at => at >= 0), section.text.length) - 60);
        const piece = document.createElement("p");
        const text = (at ? "…" : "") + section.text.slice(at, at + 200) + (at + 200 < section.text.length ? "…" : "");
        const parts = text.split(new RegExp("(" + words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi"));
        parts.forEach((part, i) => {
            const node = i % 2 ? document.createElement("mark") : document.createTextNode("");
            node.textContent = part;
            piece.append(node);
        });
        return piece;
    }

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        found.replaceChildren();
        found.hidden = !words.length;
        if (!words.length) return;
        const best = sections.map(section => [score(section, words), section]).filter(([sum]) => sum > 0)
            .sort((a, b) => b[0] - a[0]).slice(0, 20);
        for (const [, section] of best) {
            const link = document.createElement("a"), name = document.createElement("b");
            link.href = up + section.place;
            name.textContent = section.heading && section.heading !== section.title ? section.title + " › " + section.heading : section.title;
            link.append(name, excerpt(section, words));
            link.addEventListener("click", () => { found.hidden = true; });
            found.append(link);
        }
        if (!best.length) {
            const none = document.createElement("p");
            none.textContent = "Nothing has all of these words.";
            found.append(none);
        } else {
            found.firstChild.classList.add("first");
        }
    }

    input.addEventListener("input", show);
    input.form.addEventListener("submit", event => {
        event.preventDefault();
        found.querySelector("a")?.click();
    });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        } else if (event.key === "Escape") {
            found.hidden = true;
            input.blur();
        }
    });
    // The list of documents is open where there is room beside the page.
    const wide = matchMedia("(min-width: 50rem)"), open = () => { menu.open = wide.matches; };
    wide.addEventListener("change", open);
    open();
    if (new URLSearchParams(location.search).has("q")) {
        input.value = new URLSearchParams(location.search).get("q");
        show();
    }
})();
