// The timeline's drawing: larger, smaller, dragged. Without this file it scrolls as anything does.
(() => {
  const drawing = document.getElementById("drawing");
  const zoom = document.getElementById("zoom");
  if (!drawing || !zoom) return;
  const svg = drawing.querySelector("svg");
  const width = svg.viewBox.baseVal.width;
  const height = svg.viewBox.baseVal.height;
  let scale = 1;

  const set = (wanted, x = drawing.clientWidth / 2, y = drawing.clientHeight / 2) => {
    const least = Math.min(1, drawing.clientWidth / width);
    const next = Math.min(3, Math.max(least, wanted));
    const left = ((drawing.scrollLeft + x) * next) / scale - x;
    const top = ((drawing.scrollTop + y) * next) / scale - y;
    scale = next;
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    drawing.scrollTo(left, top);
  };

  zoom.hidden = false;
  zoom.addEventListener("click", (event) => {
    const factor = event.target.dataset.zoom;
    if (factor !== undefined) set(factor === "0" ? 0 : scale * factor);
  });
  drawing.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "-") {
      event.preventDefault();
      set(scale * (event.key === "+" ? 1.25 : 0.8));
    }
  });
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    set(scale * (event.deltaY < 0 ? 1.15 : 0.87), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  let held = null;
  drawing.classList.add("grab");
  drawing.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    held = { x: event.clientX, y: event.clientY, left: drawing.scrollLeft, top: drawing.scrollTop, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!held) return;
    held.moved = held.moved || Math.abs(event.clientX - held.x) + Math.abs(event.clientY - held.y) > 5;
    drawing.classList.toggle("held", held.moved);
    if (held.moved) drawing.scrollTo(held.left - event.clientX + held.x, held.top - event.clientY + held.y);
  });
  let dragged = false;
  window.addEventListener("pointerup", () => {
    dragged = held !== null && held.moved;
    held = null;
    drawing.classList.remove("held");
  });
  drawing.addEventListener("click", (event) => { if (dragged) event.preventDefault(); dragged = false; }, true);
  drawing.addEventListener("dragstart", (event) => event.preventDefault());
  drawing.scrollLeft = drawing.scrollWidth;
})();
