/**
 * A figure has one drawing, or a second for narrow pages: the page chooses the still, and the frame the same by the shape
 * of its own place.
 *
 * @param svg the drawing for wide pages
 * @param roomBelow gives the pixels below it that are not for the drawing; a frame that begins out of sight has none yet
 * @param show takes a copy of the drawing, 0 or 1, and is called again when the other one fits
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
    // A frame that has not been seen yet may not know its size.
    await new Promise((go) => {
      requestAnimationFrame(go);
      setTimeout(go, 1000);
    });
  }
  choose();
  if (drawings.length === 1) return;
  // Of a frame out of sight `resize` may never tell what it was given meanwhile, so its root is watched, as high as the frame.
  document.documentElement.style.height = "100%";
  new ResizeObserver(choose).observe(document.documentElement);
}
