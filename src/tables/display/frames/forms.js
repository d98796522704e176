// A figure has one drawing, or a second for narrow pages: the page chooses the still, and the frame the same by the shape
// of its own place.
globalThis.siteframeForms = async (svg, room, show) => {
  const drawings = [svg, document.getElementById("narrow")?.content.firstElementChild].filter(Boolean);
  const slopes = drawings.map(({ viewBox }) => viewBox.baseVal.height / viewBox.baseVal.width);
  let shown;
  const choose = () => {
    const slope = (innerHeight - room) / innerWidth;
    const [wide, narrow] = slopes.map((own) => Math.abs(Math.log(slope / own)));
    const form = narrow < wide ? 1 : 0;
    if (shown !== form) show(drawings[form].cloneNode(true), form);
    shown = form;
  };
  if (drawings.length > 1) {
    // A frame that has not been seen yet may not know its size.
    await new Promise((go) => {
      requestAnimationFrame(go);
      setTimeout(go, 1000);
    });
    addEventListener("resize", choose);
  }
  choose();
};
