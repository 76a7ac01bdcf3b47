/* SPDX-License-Identifier: MIT */
/* Adds sorting, filtering, selection of a kernel and charts to the tables of the page. All text that comes from the
 * data is set as text, never as HTML. */
(function () {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const color = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
root.classList.add("js");

/* ---- numbers ---- */

const percent = (part, whole) => (whole ? (100 * part) / whole : 0);
function short(n) {
    for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["K", 1e3]])
        if (n >= size) return (n / size).toPrecision(3).replace(/\.?0+$/, "") + " " + unit;
    return String(n);
}
function bytes(n) {
    for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
        if (n >= size) return +(n / size).toFixed(2) + " " + unit;
    return n + " B";
}
/* As the tables shorten names: in the middle. */
const shorten = (name) => name.length > 36 ? name.slice(0, 22) + "\u2026" + name.slice(-13) : name;
const range = ([min, max]) => (min === max ? short(min) : short(min) + "\u2013" + short(max));

/* ---- theme ---- */

function remembered() {
    try { return localStorage.getItem("sluice-theme"); } catch (e) { return null; }
}
function dark() {
    const chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
function addThemeButton() {
    const button = make("button", { id: "theme", className: "plain", type: "button" });
    const label = () => { button.textContent = dark() ? "Light" : "Dark"; };
    if (remembered()) root.dataset.theme = remembered();
    button.addEventListener("click", () => {
        root.dataset.theme = dark() ? "light" : "dark";
        try { localStorage.setItem("sluice-theme", root.dataset.theme); } catch (e) { /* not kept, then */ }
        label();
        redraw();
    });
    button.title = "Switch between light and dark";
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { label(); redraw(); });
    label();
    document.querySelector("header").append(button);
}

/* ---- tables ---- */

function cellValue(cell) {
    const value = cell.dataset.v;
    return value === undefined ? cell.textContent.trim() : Number(value);
}
function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number" || typeof b === "number") return typeof a === "number" ? -1 : 1; /* empty ones last */
    return a.localeCompare(b);
}
function sortBy(table, column, down) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [cellValue(row.cells[column]), row]);
    const numbers = rows.filter((row) => typeof row[0] === "number");
    const rest = rows.filter((row) => typeof row[0] !== "number");
    const order = (part) => part.sort((x, y) => (down ? -1 : 1) * compare(x[0], y[0]));
    const filled = (row) => row[0] !== "";
    for (const [, row] of order(numbers).concat(order(rest.filter(filled)), rest.filter((row) => !filled(row))))
        body.append(row);
    if (pages.has(table)) pages.get(table).show(0);
    all("th", table.tHead).forEach((head, i) => {
        if (i === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
    });
}
function makeSortable(table) {
    all("th", table.tHead).forEach((head, column) => {
        const button = make("button", { type: "button", textContent: head.textContent });
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const now = head.getAttribute("aria-sort");
            sortBy(table, column, now ? now === "ascending" : head.classList.contains("n"));
        });
    });
}
function addFilter(table) {
    if (table.tBodies[0].rows.length < 16) return;
    const box = make("input", { type: "search", className: "filter", placeholder: "Filter rows" });
    box.setAttribute("aria-label", "Filter rows of: " + table.caption.textContent);
    box.addEventListener("input", () => {
        const wanted = box.value.toLowerCase();
        const matches = (row) => row.textContent.toLowerCase().includes(wanted);
        if (pages.has(table)) pages.get(table).filter(matches);
        else for (const row of table.tBodies[0].rows) row.hidden = !matches(row);
    });
    table.parentElement.before(box);
}

/* Lists of many rows are shown a page at a time; sorting and filtering apply to all of them. */
const pages = new Map(); /* table -> { show, filter } */
const PAGE_ROWS = 100;
function addPages(table) {
    if (table.tBodies[0].rows.length <= PAGE_ROWS) return;
    const bar = make("p", { className: "pages" }), where = make("span", {});
    const step = (by, text) => {
        const button = make("button", { type: "button", className: "plain", textContent: text });
        button.addEventListener("click", () => show(page + by));
        return button;
    };
    const back = step(-1, "\u2190 previous"), forth = step(1, "next \u2192");
    let page = 0, matches = () => true;
    function show(number) {
        const left = [];
        for (const row of table.tBodies[0].rows) {
            row.hidden = true;
            if (matches(row)) left.push(row);
        }
        page = Math.max(0, Math.min(number, Math.ceil(left.length / PAGE_ROWS) - 1));
        const first = page * PAGE_ROWS, shown = left.slice(first, first + PAGE_ROWS);
        shown.forEach((row) => { row.hidden = false; });
        where.textContent = " Rows " + (shown.length ? first + 1 : 0) + "\u2013" + (first + shown.length) + " of " + left.length + " ";
        back.disabled = !page;
        forth.disabled = first + PAGE_ROWS >= left.length;
    }
    where.setAttribute("aria-live", "polite");
    bar.append(back, where, forth);
    table.parentElement.after(bar);
    pages.set(table, { show: show, filter: (test) => { matches = test; show(0); } });
    show(0);
}

/* Tables with many columns show the most important ones until all are asked for. */
function addColumns(table) {
    const more = all("th.more", table).length;
    if (!more) return;
    table.classList.add("narrow");
    const button = make("button", { type: "button", className: "plain columns" });
    const label = () => { button.textContent = table.classList.contains("narrow") ? "Show " + more + " more columns" : "Show fewer columns"; };
    button.addEventListener("click", () => { table.classList.toggle("narrow"); label(); });
    label();
    table.parentElement.after(button);
}

/* ---- code ---- */

const languages = {
    cuda: [[/\/\/.*/y, "c"], [/"(?:[^"\\]|\\.)*"/y, "n"],
           [/\b(?:if|else|for|while|do|return|break|continue|switch|case|default|const|static|struct|enum|template|typename|using|namespace|inline|extern|constexpr|auto|sizeof|volatile|__\w+__|__restrict__|#\w+)(?!\w)|^\s*#\w+/y, "k"],
           [/\b(?:void|bool|char|short|int|long|unsigned|signed|float|double|half|(?:u?int|u?char|u?short|u?long|float|double)\d\w*|size_t|u?int\d+_t)\b/y, "t"],
           [/\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/y, "r"],
           [/\b(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[fFuUlL]*/y, "n"], [/\w+|\s+|./y, ""]],
    ptx: [[/\/\/.*/y, "c"], [/"[^"]*"/y, "n"], [/%\w+(?:\.\w+)?/y, "r"], [/\.(?:[busf](?:8|16|32|64)|pred|f16x2|v[248]|bf16(?:x2)?)\b/y, "t"],
          [/(?<=^\s*(?:@!?%\w+\s+)?)[a-z]\w*(?=[\s.;])/y, "k"], [/\.[A-Za-z]\w*(?:::\w+)*/y, "k"],
          [/\b(?:0[fFdDxX][\da-fA-F]+|\d+)\b/y, "n"], [/[\w$]+|\s+|./y, ""]],
};
/* Colors the lines of a source; comments of several lines continue. */
function highlight(table) {
    if (table.dataset.lit) return;
    table.dataset.lit = "yes";
    const rules = table.classList.contains("ptx") ? languages.ptx : languages.cuda;
    let inside = false;
    for (const code of all("code", table)) {
        const text = code.textContent, parts = [];
        let at = 0, plain = "";
        const flush = () => { if (plain) parts.push(plain); plain = ""; };
        while (at < text.length) {
            let piece = "", kind = "";
            if (inside || text.startsWith("/*", at)) {
                const end = text.indexOf("*/", inside ? at : at + 2);
                piece = text.slice(at, end < 0 ? text.length : end + 2);
                inside = end < 0;
                kind = "c";
            } else {
                for (const [pattern, name] of rules) {
                    pattern.lastIndex = at;
                    const match = pattern.exec(text);
                    if (match && match[0]) { piece = match[0]; kind = name; break; }
                }
            }
            if (!piece) piece = text[at];
            at += piece.length;
            if (!kind) { plain += piece; continue; }
            flush();
            parts.push(make("span", { className: "t-" + kind, textContent: piece }));
        }
        flush();
        code.replaceChildren(...parts);
    }
}
/* Scrolls within its box, not the page. */
function reveal(row) {
    const box = row.closest(".scroll");
    box.scrollTop = Math.max(0, row.offsetTop - box.clientHeight / 3);
}
/* A click on a line shows what was compiled from it, or what it was compiled from. */
function linkLines(part) {
    for (const row of all("tr.busy", part))
        row.addEventListener("click", () => {
            const id = row.dataset.from || row.id, origin = document.getElementById(id);
            markLines(id);
            if (origin) origin.classList.add("mark");
            const compiled = all("tr[data-from]", part).find((other) => other.dataset.from === id);
            if (row.dataset.from && origin) reveal(origin);
            else if (!row.dataset.from && compiled && compiled.closest("details").open) reveal(compiled);
        });
}
const sideBySide = matchMedia("(min-width: 75rem)");
function openSources(part) {
    if (sideBySide.matches) all(".sources.two > details", part).forEach((source) => { source.open = true; });
}

/* ---- one kernel at a time ---- */

const kernels = all("section.kernel");

function choose(number) {
    kernels.forEach((section, i) => section.classList.toggle("chosen", i === number));
    all("table.kernels tbody tr").forEach((row) => {
        const link = row.querySelector("a");
        const chosen = link.getAttribute("href") === "#kernel-" + number;
        row.classList.toggle("chosen", chosen);
        if (chosen) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
    });
    if (!kernels[number]) return;
    drawIn(kernels[number]);
    openSources(kernels[number]);
    all("table.code", kernels[number]).forEach((table) => { highlight(table); showLoads(table); });
}
/* Scrolls a source to its first line that has numbers. */
function showLoads(table) {
    const box = table.parentElement, first = table.querySelector("tr.busy");
    if (first && !box.scrollTop) box.scrollTop = Math.max(0, first.offsetTop - box.clientHeight / 3);
}
function addSteps(section, number) {
    const steps = make("span", { className: "steps" });
    if (number > 0) steps.append(make("a", { href: "#kernel-" + (number - 1), textContent: "\u2190 previous" }));
    if (number + 1 < kernels.length) steps.append(make("a", { href: "#kernel-" + (number + 1), textContent: "next \u2192" }));
    section.querySelector("h2").append(steps);
}
/* Marks the PTX lines compiled from the source line in the address. */
function markLines(id) {
    all("tr.mark").forEach((row) => row.classList.remove("mark"));
    all("tr[data-from]").forEach((row) => row.classList.toggle("mark", row.dataset.from === id));
}
function follow() {
    const id = decodeURIComponent(location.hash.slice(1));
    const match = /^(?:kernel-|k)(\d+)(?:$|-)/.exec(id);
    if (!match) return;
    choose(Number(match[1]));
    const target = document.getElementById(id);
    if (!target) return;
    const closed = target.closest("details");
    if (closed) closed.open = true;
    markLines(id);
    target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
    if (target.tagName === "SECTION") target.focus({ preventScroll: true });
}
function heaviest() {
    const weight = (kernel) => {
        const c = kernel.counters;
        return [c.ld_sector_misses || 0, c.ld_sectors || 0, c.warp_insts || c.time_ns || 0];
    };
    const order = (a, b) => a.map((value, i) => value - b[i]).find((difference) => difference) || 0;
    return data.kernels.reduce((best, kernel, i) => (order(weight(kernel), weight(data.kernels[best])) > 0 ? i : best), 0);
}

/* ---- charts ---- */

const classes = [
    ["hit", "hit", (c) => (c.ld_sector_hits || 0) - (c.pending_hit_sectors || 0)],
    ["pending", "pending hit", (c) => c.pending_hit_sectors || 0],
    ["compulsory", "compulsory", (c) => c.compulsory_sectors || 0],
    ["capacity", "capacity", (c) => c.capacity_sectors || 0],
    ["conflict", "conflict", (c) => c.conflict_sectors || 0],
    ["store", "store", (c) => c.store_sectors || 0],
    ["mshr", "MSHR", (c) => c.mshr_sectors || 0],
    ["bypassed", "bypassed", (c) => c.bypassed_sectors || 0],
    ["other", "miss", (c) => c.compulsory_sectors === undefined ? c.ld_sectors - c.ld_sector_hits - (c.bypassed_sectors || 0) : 0], /* class unknown */
];
const drawn = new Map(); /* figure -> chart */

function axis(title, more) {
    const a = { title: { display: !!title, text: title, color: color("soft") }, ticks: { color: color("soft") },
                grid: { color: color("line") } };
    return Object.assign(a, more);
}
function legend(position) {
    return { position: position || "bottom", labels: { color: color("front"), boxWidth: 12, boxHeight: 12 } };
}
function options(x, y, more) {
    return Object.assign({ maintainAspectRatio: false, animation: false, scales: { x: x, y: y },
                           plugins: { legend: legend() } }, more);
}
function bars(rows, which, label) {
    return rows.map(([name, title, value]) => ({
        label: title, backgroundColor: color(name),
        data: which.map((counts) => percent(value(counts), counts.ld_sectors)),
    })).filter((set) => label || set.data.some((value) => value));
}
const inPercent = { callbacks: { label: (item) => " " + item.dataset.label + ": " + (+item.raw).toFixed(1) + " %" } };

function chartClasses() {
    const shown = data.kernels.filter((k) => k.counters.ld_sectors && k.counters.ld_sector_hits !== undefined)
        .sort((a, b) => b.counters.ld_sectors - a.counters.ld_sectors).slice(0, 30);
    return {
        height: 3.5 + 1.9 * shown.length, type: "bar",
        data: { labels: shown.map((k) => shorten(k.name)), datasets: bars(classes, shown.map((k) => k.counters)) },
        options: options(axis("% of load sectors", { stacked: true, max: 100 }), axis("", { stacked: true }),
                         { indexAxis: "y", plugins: { legend: { display: false }, tooltip: inPercent } }),
    };
}

/* A dashed line where a cache of the profile's size is full. */
const cacheMark = {
    id: "cacheMark",
    afterDatasetsDraw(chart, args, mark) {
        if (mark.at === undefined) return;
        const x = chart.scales.x.getPixelForValue(mark.at) + chart.scales.x.width / chart.scales.x.ticks.length / 2;
        const { top, bottom } = chart.chartArea, c = chart.ctx;
        c.save();
        c.strokeStyle = c.fillStyle = color("capacity");
        c.setLineDash([5, 4]);
        c.beginPath();
        c.moveTo(x, top);
        c.lineTo(x, bottom);
        c.stroke();
        c.textAlign = x > chart.width / 2 ? "right" : "left";
        c.fillText(mark.text, x + (x > chart.width / 2 ? -5 : 5), top + 10);
        c.restore();
    },
};
function chartDistance(figure) {
    const reuse = chosenReuse(figure);
    const max = Math.max(...[reuse.line_distance, reuse.sector_distance].map((d) => d.bins.length ? d.bins[d.bins.length - 1][0] : 0));
    const bins = [[0, 0]];
    for (let min = 1; min <= max; min *= 2) bins.push([min, 2 * min - 1]);
    const shares = (distances, accesses) => {
        const found = new Map(distances.bins.map(([min, , count]) => [min, count]));
        return bins.map(([min]) => percent(found.get(min) || 0, accesses)).concat(percent(distances.never, accesses));
    };
    const lines = shares(reuse.line_distance, reuse.counters.line_accesses);
    let sum = 0;
    const sums = lines.slice(0, -1).map((share) => (sum += share));
    const full = data.profiled_with.cache / data.profiled_with.line;
    const at = bins.findIndex(([, last]) => last >= full - 1);
    return {
        type: "bar",
        data: { labels: bins.map(range).concat("first access"), datasets: [
            { label: "cumulative, lines", type: "line", data: sums, borderColor: color("soft"), backgroundColor: color("soft"),
              borderWidth: 1.5, pointRadius: 2 },
            { label: "lines", data: lines, backgroundColor: color("hit") },
            { label: "sectors", data: shares(reuse.sector_distance, reuse.counters.sector_accesses), backgroundColor: color("pending") }] },
        options: options(axis("distinct lines or sectors accessed in between"), axis("% of accesses", { min: 0 }),
                         { plugins: { legend: legend(), tooltip: inPercent,
                                      cacheMark: at < 0 ? {} : { at: at, text: bytes(data.profiled_with.cache) } } }),
        plugins: [cacheMark],
    };
}
function chartReuses(figure) {
    const reuse = chosenReuse(figure);
    return {
        type: "bar",
        data: { labels: reuse.line_reuses.map(range), datasets: [
            { label: "lines", backgroundColor: color("hit"),
              data: reuse.line_reuses.map(([, , count]) => percent(count, reuse.counters.lines)) }] },
        options: options(axis("reuses"), axis("% of lines", { min: 0 }),
                         { plugins: { legend: { display: false }, tooltip: inPercent } }),
    };
}
function chartFootprint(figure) {
    const footprint = data.kernels[figure.dataset.kernel].footprint;
    const set = (label, name, key) => ({ label: label, borderColor: color(name), backgroundColor: color(name), pointRadius: 2,
                                         data: footprint.windows.map((w) => w[key]) });
    return {
        type: "line",
        data: { labels: footprint.windows.map((w, i) => short((i + 1) * footprint.window_accesses)),
                datasets: [set("in the window", "capacity", "lines"), set("so far", "hit", "lines_so_far")] },
        options: options(axis("accesses per core"), axis("lines, all cores", { min: 0 })),
    };
}
/* Counters of a kernel, or of all, summed for each point of a sweep. */
function sumPoints(sweep, kernel) {
    const sums = sweep.kernels[0].points.map((point) => Object.assign({}, point, { counters: {} }));
    for (const each of sweep.kernels)
        if (kernel === "" || each.kernel === kernel)
            each.points.forEach((point, i) => {
                for (const [name, value] of Object.entries(point.counters))
                    sums[i].counters[name] = (sums[i].counters[name] || 0) + value;
            });
    return sums;
}
function chartSizes(figure) {
    const points = sumPoints(data.sizes, chosen(figure));
    const differ = (key) => new Set(points.map((p) => p[key])).size > 1;
    const label = (p) => p.varied && new Set(points.map((q) => q.varied)).size > 1 ? p.varied + " " + p.factor
        : [differ("size") && bytes(p.size), differ("ways") && p.ways + " ways", differ("line") && p.line + " B lines",
           differ("mshrs") && p.mshrs + " MSHRs"].filter(Boolean).join(", ");
    const misses = classes.slice(2);
    return {
        type: "bar", height: 20,
        data: { labels: points.map(label), datasets: bars(misses, points.map((p) => p.counters)) },
        options: options(axis("L1 configuration", { stacked: true }), axis("% of load sectors", { stacked: true, min: 0 }),
                         { plugins: { legend: { display: false }, tooltip: inPercent } }),
    };
}
function chartPolicies(figure) {
    const points = sumPoints(data.policies, chosen(figure));
    return {
        type: "bar", height: 5 + 1.7 * points.length,
        data: { labels: points.map((p) => p.replacement), datasets: [
            { label: "hit rate", backgroundColor: color("hit"),
              data: points.map((p) => percent(p.counters.ld_sector_hits || 0, p.counters.ld_sectors)) }] },
        options: options(axis("L1 hit rate, % of load sectors", { min: 0 }), axis(""),
                         { indexAxis: "y", plugins: { legend: { display: false }, tooltip: inPercent } }),
    };
}
/* Bars start at 1, the baseline: faster policies extend to the right, slower ones to the left. */
function chartSimulated(figure) {
    const points = sumPoints(data.simulated, chosen(figure));
    const speeds = points.map((p) => points[0].counters.cycles / p.counters.cycles);
    const tell = (item) => {
        const c = points[item.dataIndex].counters;
        return " " + (+item.raw).toFixed(3) + "; " + short(c.cycles) + " cycles, " +
            percent(c.ld_sector_hits || 0, c.ld_sectors).toFixed(1) + " % hit in L1";
    };
    return {
        type: "bar", height: 5 + 1.7 * points.length,
        data: { labels: points.map((p) => p.replacement), datasets: [
            { label: "speedup", base: 1, minBarLength: 2, data: speeds,
              backgroundColor: speeds.map((speed) => color(speed < 0.995 ? "capacity" : speed > 1.005 ? "hit" : "compulsory")) }] },
        options: options(axis("speedup over " + points[0].replacement, { grace: "5%" }), axis(""),
                         { indexAxis: "y", plugins: { legend: { display: false }, tooltip: { callbacks: { label: tell } } } }),
    };
}
function chartScatter(figure) {
    const name = figure.dataset.chart.slice("scatter-".length);
    const share = name.endsWith("rate");
    const dots = data.validation.launches.filter((l) => {
        const q = l.quantities[name];
        return q.measured !== undefined && q.model !== undefined && (share || (q.measured > 0 && q.model > 0));
    }).map((l) => ({ x: l.quantities[name].measured, y: l.quantities[name].model, counts: l.counts_in_means,
                     what: (l.workload ? l.workload + ": " : "") + l.name + " #" + l.index }));
    const values = dots.flatMap((d) => [d.x, d.y]);
    const [min, max] = share ? [0, 100] : [Math.min(...values), Math.max(...values)];
    const scale = (title) => axis(title, Object.assign(share ? { min: 0, max: 100 } : { type: "logarithmic" }));
    const set = (label, which, fill) => ({ label: label, data: dots.filter((d) => d.counts === which), pointRadius: 3,
                                           pointStyle: which ? "circle" : "rectRot", backgroundColor: fill, borderColor: fill });
    return {
        type: "scatter",
        data: { datasets: [set("launches", true, color("hit")), set("excluded: few sectors", false, color("compulsory")),
            { label: "equal", type: "line", data: [{ x: min, y: min }, { x: max, y: max }], pointRadius: 0,
              borderColor: color("soft"), borderDash: [5, 4], borderWidth: 1 }] },
        options: options(scale("measured" + (share ? ", %" : "")), scale("model"), { plugins: { legend: legend(), tooltip: { callbacks: {
            label: (item) => " " + (item.raw.what || "") + ": " + (+item.raw.x).toFixed(share ? 1 : 0) + " measured, " +
                (+item.raw.y).toFixed(share ? 1 : 0) + " modeled" } } } }),
    };
}

const painters = { classes: chartClasses, distance: chartDistance, reuses: chartReuses, footprint: chartFootprint,
                   sizes: chartSizes, policies: chartPolicies, simulated: chartSimulated };

/* A list in the caption of a figure to choose whose numbers are drawn. */
function addChoice(figure, label, choices) {
    if (choices.length < 3) return; /* all, and one that is all */
    const select = make("select", {});
    select.setAttribute("aria-label", label);
    for (const [value, text] of choices) select.append(make("option", { value: value, textContent: text }));
    select.addEventListener("change", () => draw(figure));
    figure.querySelector("figcaption").append(select);
}
function chosen(figure) {
    const select = figure.querySelector("select");
    if (select) return select.value;
    return ""; /* the only one, or all */
}
function chosenReuse(figure) {
    const kernel = data.kernels[figure.dataset.kernel];
    const value = chosen(figure);
    return value === "" ? kernel.reuse : kernel.loads[value].reuse;
}
function locate(load) {
    const where = load.source ? load.source.replace(/^.*\//, "") : load.line ? "PTX line " + load.line : "pc " + load.pc;
    return [where, load.opcode, load.array].filter(Boolean).join(" ");
}
function prepare(figure) {
    const what = figure.dataset.chart;
    if (what === "distance" || what === "reuses") {
        const loads = data.kernels[figure.dataset.kernel].loads.map((load, i) => [i, load]).filter(([, load]) => load.reuse);
        addChoice(figure, "Memory instruction", [["", "all of the kernel"]].concat(loads.map(([i, load]) => [i, locate(load)])));
    } else if (what === "sizes" || what === "policies" || what === "simulated") {
        addChoice(figure, "Kernel", [["", "all kernels"]].concat(data[what].kernels.map((k) => [k.kernel, k.name])));
    }
    figure.append(make("div", { className: "canvas" }));
    figure.hidden = false;
}
function draw(figure) {
    const what = figure.dataset.chart;
    const painter = what.startsWith("scatter-") ? chartScatter : painters[what];
    if (!painter) return;
    if (!figure.querySelector(".canvas")) prepare(figure);
    if (drawn.has(figure)) drawn.get(figure).destroy();
    const config = painter(figure), box = figure.querySelector(".canvas");
    const canvas = make("canvas", {});
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", figure.querySelector("figcaption").firstChild.textContent + "; the numbers are in the tables");
    if (config.height) box.style.height = config.height + "rem";
    box.replaceChildren(canvas);
    drawn.set(figure, new Chart(canvas, config));
}
const canDraw = () => typeof Chart === "function" && parseInt(Chart.version, 10) >= 3;
function drawIn(part) {
    if (canDraw()) all("figure.chart", part).filter((figure) => !drawn.has(figure)).forEach(draw);
}
function redraw() {
    for (const figure of Array.from(drawn.keys())) draw(figure);
}

/* ---- start ---- */

addThemeButton();
all("table.sortable").forEach(makeSortable);
all("table.long").forEach(addFilter);
all("table.paged").forEach(addPages);
all("table").forEach(addColumns);
all(".sources").forEach(linkLines);
kernels.forEach(addSteps);
all("details.source").forEach((part) => part.addEventListener("toggle", () => showLoads(part.querySelector("table"))));
all("main > section:not(.kernel)").forEach(drawIn);
if (kernels.length) choose(heaviest());
addEventListener("hashchange", follow);
follow();
})();
