/**
 * Chooses one of a figure's one or two drawings (wide and narrow): the page chooses the fallback, and the frame makes
 * the same choice by its own shape.
 *
 * @param svg the drawing for wide pages
 * @param roomBelow returns the pixels below the drawing that it may not use; a frame that starts out of sight has none
 * yet
 * @param show receives a copy of the drawing, 0 or 1, and is called again when the other one fits
 */
export async function chooseDrawing(
  svg: SVGSVGElement,
  roomBelow: () => number,
  show: (svg: SVGSVGElement, drawing: number) => void,
): Promise<void> {
  const narrow = document.querySelector<HTMLTemplateElement>("#narrow")?.content.firstElementChild;
  const drawings = narrow ? [svg, narrow as SVGSVGElement] : [svg];
  const slopes = drawings.map(({ viewBox }) => viewBox.baseVal.height / viewBox.baseVal.width);
  let shown: number | undefined;
  const choose = () => {
    const slope = (innerHeight - roomBelow()) / innerWidth;
    const [wide = 0, narrow = Infinity] = slopes.map((own) => Math.abs(Math.log(slope / own)));
    const drawing = narrow < wide ? 1 : 0;
    if (shown !== drawing) show(drawings[drawing]?.cloneNode(true) as SVGSVGElement, drawing);
    shown = drawing;
  };
  if (drawings.length > 1) {
    // A frame that was never visible may not have its size yet.
    await new Promise((go) => {
      requestAnimationFrame(go);
      setTimeout(go, 1000);
    });
  }
  choose();
  if (drawings.length === 1) return;
  // `resize` may never fire for a frame out of sight, so its root, which is as high as the frame, is observed.
  document.documentElement.style.height = "100%";
  new ResizeObserver(choose).observe(document.documentElement);
}
