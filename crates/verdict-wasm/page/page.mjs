// The page: takes a text, has it judged by the worker, shows what came of it. Foreign text is only ever text here.
const MOST_BYTES = 256 << 20;
/** What is longer is held beside the text field, which would be slow with it. */
const SHOWN = 200_000;
const LATE_MS = 120_000;
const MOST_HTML = 24 << 20;
const WORDS = { pass: "Pass", fail: "Fail", none: "No verdict" };
const NAMES = {
  html: ["report.html", "text/html"],
  json: ["report.json", "application/json"],
  markdown: ["report.md", "text/markdown"],
  junit: ["junit.xml", "application/xml"],
  sarif: ["report.sarif", "application/json"],
  text: ["report.txt", "text/plain"],
};

const element = (id) => document.getElementById(id);
const [form, text, file, drop] = ["form", "text", "file", "drop"].map(element);
let held;
let report;
let worker;
let timer;

/** What does not show is written as its number, and what is long is cut. */
function shown(foreign) {
  const cut = foreign.length > 2_000 ? `${foreign.slice(0, 2_000)} …` : foreign;
  return cut.replace(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

function say(status) {
  element("status").textContent = status;
}

function trouble(why) {
  const place = element("trouble");
  place.textContent = why ? shown(why) : "";
  place.hidden = !why;
}

function size(length) {
  return length < 1 << 20 ? `${Math.ceil(length / 1024)} KiB` : `${(length / (1 << 20)).toFixed(1)} MiB`;
}

/** Keeps a long text beside the field. */
function hold(name, content) {
  held = content;
  element("held-name").textContent = `${shown(name).slice(0, 120)}, ${size(content.length)}`;
  element("held").hidden = false;
  text.hidden = true;
}

function letGo() {
  held = undefined;
  element("held").hidden = true;
  text.hidden = false;
  file.value = "";
}

async function take(chosen) {
  if (!chosen) return;
  trouble("");
  if (chosen.size > MOST_BYTES) return trouble(`The file is larger than ${size(MOST_BYTES)}.`);
  hold(chosen.name, await chosen.text());
  judge();
}

function busy(isBusy) {
  element("go").disabled = isBusy;
  element("cancel").hidden = !isBusy;
  element("result").setAttribute("aria-busy", String(isBusy));
  clearTimeout(timer);
}

function stop(why) {
  worker?.terminate();
  worker = undefined;
  busy(false);
  say(why);
}

function ask(message) {
  if (!worker) {
    worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => heard(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      stop("");
      trouble(`The checks could not be run: ${event.message ?? "the worker did not start"}.`);
    });
  }
  worker.postMessage(message);
}

function judge() {
  const content = held ?? text.value;
  trouble("");
  if (!content.trim()) {
    trouble("Paste a transcript or a report first, or choose a file.");
    return text.focus();
  }
  element("result").hidden = true;
  busy(true);
  say("Judging …");
  timer = setTimeout(() => stop(`Given up after ${LATE_MS / 1000} seconds.`), LATE_MS);
  ask({ do: "judge", text: content, address: element("address").value.trim(), config: element("config").value });
}

function heard(answer) {
  if (answer.did === "render") return save(answer.format, answer.text);
  busy(false);
  if (answer.did === "fail") {
    say("");
    if (answer.broken) stop("");
    return trouble(answer.why);
  }
  report = answer.report;
  show(answer.html);
}

function show(html) {
  const { verdict, summary } = JSON.parse(report);
  const known = Object.hasOwn(WORDS, verdict) ? verdict : "none";
  const heading = element("verdict");
  heading.className = known;
  heading.textContent = WORDS[known];
  say("");
  element("result").hidden = false;
  const place = element("frame");
  if (html.length > MOST_HTML) {
    const words = document.createElement("p");
    words.textContent = `${shown(String(summary))} The report is too large to be shown here; save it.`;
    place.replaceChildren(words);
  } else {
    place.replaceChildren(frame(html));
  }
  heading.focus();
}

/** The report as its own document: no script runs in it, and it loads nothing. */
function frame(html) {
  const inner = document.createElement("iframe");
  inner.title = "The report";
  inner.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  inner.addEventListener("load", () => {
    const { documentElement, body } = inner.contentDocument;
    documentElement.style.overflow = "hidden";
    new ResizeObserver(() => {
      inner.style.height = `${Math.ceil(body.getBoundingClientRect().height) + 2}px`;
    }).observe(body);
    // The address of the frame's document is the page's: its links to itself would lead here.
    inner.contentDocument.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#"]');
      if (!link) return;
      event.preventDefault();
      goTo(inner.contentDocument.getElementById(link.getAttribute("href").slice(1)));
    });
    for (const link of inner.contentDocument.querySelectorAll('a[href^="https:"]')) {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
    }
  });
  inner.srcdoc = html;
  return inner;
}

/** Shows a place of the report, whatever it is folded into. */
function goTo(place) {
  if (!place) return;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView();
}

function save(format, content) {
  const [name, type] = NAMES[format];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  judge();
});
text.addEventListener("paste", (event) => {
  const pasted = event.clipboardData?.getData("text/plain") ?? "";
  if (pasted.length <= SHOWN) return;
  event.preventDefault();
  hold("pasted text", pasted);
  element("go").focus();
});
file.addEventListener("change", () => take(file.files[0]));
element("let-go").addEventListener("click", () => {
  letGo();
  text.focus();
});
element("cancel").addEventListener("click", () => stop("Cancelled."));
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
    if (name === "drop") take(event.dataTransfer?.files[0]);
  });
}
for (const button of document.querySelectorAll("[data-format]")) {
  button.addEventListener("click", () => ask({ do: "render", report, format: button.dataset.format }));
}
// While the reader is still reading, the modules come.
ask({ do: "load" });
