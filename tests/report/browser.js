/* SPDX-License-Identifier: MIT */
/* Put at the end of a page by tests/cli/html.sh, which reads #result: "ok", or what is wrong. The
 * start of the page collects errors in window.errors. */
(function () {
"use strict";
const wrong = window.errors.slice();
const check = (good, what) => { if (!good) wrong.push(what); };
const one = (selector) => document.querySelector(selector);
const every = (selector) => Array.from(document.querySelectorAll(selector));
const column = (table, n) => Array.from(table.tBodies[0].rows).map((row) => row.cells[n]);
const wait = () => new Promise((done) => setTimeout(done, 50));

async function chooseAKernel() {
    const links = every("table.kernels tbody a");
    check(links.length > 1, "there is more than one kernel");
    for (const link of links) {
        link.click();
        await wait();
        const shown = every("section.kernel").filter((section) => getComputedStyle(section).display !== "none");
        check(shown.length === 1 && "#" + shown[0].id === link.getAttribute("href"), "a click shows that kernel alone");
        check(document.activeElement === shown[0], "the kernel that was chosen has the focus");
        check(link.getAttribute("aria-current") === "true", "the link says that it is the one");
        check(shown[0].querySelectorAll("figure.chart canvas").length > 1, "its charts are drawn");
    }
    one(".chosen .steps a").click();
    await wait();
    check(every("section.kernel.chosen").length === 1, "one can step from kernel to kernel");
}

async function followALine() {
    const link = one("table.loads a");
    check(link, "loads link to their lines");
    location.hash = link.getAttribute("href");
    await wait();
    const row = document.getElementById(link.getAttribute("href").slice(1));
    check(row && row.classList.contains("busy") && row.closest("details").open, "the line of a load is shown");
    check(every("tr.mark").length > 0, "the PTX of the line is marked");
}

function sortATable() {
    const table = one("#kernels table"), heads = Array.from(table.tHead.rows[0].cells);
    const n = heads.findIndex((head) => head.textContent === "ld sectors");
    const button = heads[n].querySelector("button");
    const values = () => column(table, n).map((cell) => Number(cell.dataset.v));
    check(button.tabIndex === 0, "a column can be reached by the keyboard");
    button.click();
    check(heads[n].getAttribute("aria-sort") === "descending", "numbers start with the largest");
    check(values().every((v, i, all) => !i || all[i - 1] >= v), "rows are in that order");
    button.click();
    check(heads[n].getAttribute("aria-sort") === "ascending", "a second click turns the order");
    check(values().every((v, i, all) => !i || all[i - 1] <= v), "rows are in the other order");
    heads[0].querySelector("button").click();
    check(!heads[n].hasAttribute("aria-sort") && heads[0].getAttribute("aria-sort") === "ascending", "names start with A");
}

function showAllColumns() {
    const table = one("#kernels table"), more = table.querySelector("td.more");
    check(more && getComputedStyle(more).display === "none", "few columns are shown at first");
    one("#kernels button.columns").click();
    check(getComputedStyle(more).display !== "none", "all are shown on request");
}

function colorCode() {
    check(one("section.kernel.chosen table.code:not(.ptx) .t-t, section.kernel.chosen table.code:not(.ptx) .t-k"), "the source is colored");
    check(one("section.kernel.chosen table.ptx .t-r"), "PTX is colored");
    for (const code of every("section.kernel.chosen table.code code"))
        check(!code.querySelector("script, img"), "code stays text");
}

function filterRows() {
    const box = one("#sizes input.filter"), rows = Array.from(one("#sizes table").tBodies[0].rows);
    check(box, "long tables have a filter");
    box.value = "size 2x";
    box.dispatchEvent(new Event("input"));
    const left = rows.filter((row) => !row.hidden);
    check(left.length > 0 && left.length < rows.length, "it hides rows");
    check(left.every((row) => row.textContent.includes("size 2x")), "the filter keeps matching rows");
}

function drawCharts() {
    check(every("figure.chart").filter((figure) => !figure.closest(".kernel") && figure.hidden).length === 0, "all charts are drawn");
    const chosen = one("section.kernel.chosen figure[data-chart=distance] select");
    chosen.value = chosen.options[1].value;
    chosen.dispatchEvent(new Event("change"));
    check(one("section.kernel.chosen figure[data-chart=distance] canvas"), "the reuse of one load is drawn");
    check(one("#policies canvas").height > 50, "charts have a size");
}

function turnDark() {
    const before = getComputedStyle(document.body).backgroundColor;
    one("#theme").click();
    check(getComputedStyle(document.body).backgroundColor !== before, "the page turns dark");
}

function fitsAPhone() {
    check(document.documentElement.scrollWidth <= innerWidth, "nothing is wider than the window: " +
        document.documentElement.scrollWidth + " > " + innerWidth);
}

function namesEveryControl() {
    for (const control of every("button, select, input, canvas, nav, .scroll"))
        check(control.textContent.trim() || control.getAttribute("aria-label"), "every control has a name: " + control.outerHTML);
    const ids = every("[id]").map((element) => element.id);
    check(new Set(ids).size === ids.length, "ids are used once");
}

(async function () {
    try {
        await chooseAKernel();
        await followALine();
        showAllColumns();
        colorCode();
        sortATable();
        filterRows();
        drawCharts();
        turnDark();
        fitsAPhone();
        namesEveryControl();
    } catch (e) {
        wrong.push(String(e) + " " + e.stack);
    }
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = wrong.concat(window.errors.slice()).join("; ") || "ok";
    document.body.append(result);
})();
})();
