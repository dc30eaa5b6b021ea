// A citation shows its quotation while it is pointed at or focused; Escape hides it. A link into a closed part opens it.
"use strict";
const box = document.createElement("div");
box.id = "quoted";
box.hidden = true;
box.setAttribute("role", "tooltip");
document.body.append(box);
const hide = () => { box.hidden = true; };
const show = (link) => {
  const quote = document.querySelector(link.hash + " blockquote");
  if (!quote) return;
  box.textContent = quote.textContent;
  box.hidden = false;
  const at = link.getBoundingClientRect();
  const left = Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8);
  box.style.left = Math.max(8, left) + window.scrollX + "px";
  box.style.top = at.bottom + 6 + window.scrollY + "px";
};
for (const link of document.querySelectorAll("a.cite")) {
  link.setAttribute("aria-describedby", "quoted");
  link.addEventListener("mouseenter", () => show(link));
  link.addEventListener("focus", () => show(link));
  link.addEventListener("mouseleave", hide);
  link.addEventListener("blur", hide);
}
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
const open = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView({ block: "center" });
};
window.addEventListener("hashchange", open);
open();
