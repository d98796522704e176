// What is told of a thing that is pointed at: its lines, and where it stands. Texts of the data stay texts.
globalThis.siteframeTip = (tip) => {
  const OVER = 12;
  const HATCHED = "repeating-linear-gradient(45deg, currentColor 0 1px, transparent 1px 4px)";
  return {
    line(label, text, colour) {
      const row = document.createElement("tr");
      const head = row.appendChild(document.createElement("th"));
      if (colour) {
        head.appendChild(document.createElement("i")).style.background = colour.startsWith("url(") ? HATCHED : colour;
      }
      head.append(label);
      row.appendChild(document.createElement("td")).textContent = text;
      return row;
    },
    /** Beside a place of the frame, and within the frame. */
    put(x, y) {
      const { clientWidth, clientHeight } = document.documentElement;
      const { offsetWidth, offsetHeight } = tip;
      const right = x + OVER + offsetWidth > clientWidth ? x - OVER - offsetWidth : x + OVER;
      tip.style.left = `${Math.max(2, Math.min(right, clientWidth - offsetWidth - 2))}px`;
      tip.style.top = `${Math.max(2, Math.min(y - offsetHeight / 2, clientHeight - offsetHeight - 2))}px`;
    },
  };
};
