// The basemap below the features of a map's pane, and the names above them.

import {
  type BasemapPayload,
  IMAGE_OPACITY,
  NAME,
  namesWithRoom,
  OUTLINE,
} from "../../tables/display/live/map-basemap.js";
import { make } from "../page/elements.js";
import type { MapView } from "./map-view.js";

type Pen = CanvasRenderingContext2D;

/**
 * @param trace makes the outline of a basemap shape the current path
 * @param onLoad called when a picture can be drawn
 */
export function basemapCanvas(
  map: MapView,
  { images, outlines, names }: BasemapPayload = { images: [], outlines: 0, names: [] },
  trace: (pen: Pen, shape: number) => void,
  onLoad: () => void,
) {
  const pictures = images.map(() => make("canvas"));
  for (const [index, { href, mask }] of images.entries()) {
    void Promise.all([href, ...(mask ? [mask] : [])].map(loadImage)).then(([image, white]) => {
      const picture = pictures[index];
      const pen = picture?.getContext("2d");
      if (!picture || !pen || !image) return;
      [picture.width, picture.height] = [image.naturalWidth, image.naturalHeight];
      pen.drawImage(image, 0, 0);
      pen.globalCompositeOperation = "destination-in";
      if (white) pen.drawImage(white, 0, 0, picture.width, picture.height);
      onLoad();
    });
  }
  /** Converts pixels of the wide map to pixels of the canvas. */
  const place = ({ form, zoom, left, top, sharp }: MapView) => ({
    scale: form.times * zoom * sharp,
    x: (left + form.shift[0] * zoom) * sharp,
    y: (top + form.shift[1] * zoom) * sharp,
  });
  return {
    /** Pictures and outlines. */
    below(pen: Pen, ink: string) {
      const { scale, x, y } = place(map);
      pen.globalAlpha = IMAGE_OPACITY;
      for (const [index, image] of images.entries()) {
        const picture = pictures[index] as HTMLCanvasElement;
        pen.drawImage(picture, image.x * scale + x, image.y * scale + y, image.width * scale, image.height * scale);
      }
      [pen.globalAlpha, pen.strokeStyle, pen.lineWidth] = [OUTLINE.opacity, ink, OUTLINE.width * map.sharp];
      for (let shape = 0; shape < outlines; shape += 1) {
        trace(pen, shape);
        pen.stroke();
      }
      pen.globalAlpha = 1;
    },
    /** Names, whose size does not depend on the zoom. */
    above(pen: Pen, ink: string, paper: string) {
      const { sharp, width, height } = map;
      const { scale, x, y } = place(map);
      pen.font = `${NAME.size * sharp}px system-ui, sans-serif`;
      [pen.textAlign, pen.textBaseline, pen.lineJoin] = ["center", "middle", "round"];
      [pen.lineWidth, pen.strokeStyle, pen.fillStyle, pen.globalAlpha] = [NAME.halo * sharp, paper, ink, NAME.opacity];
      const shown = names.map((name) => ({
        ...name,
        x: (name.x * scale + x) / sharp,
        y: (name.y * scale + y) / sharp,
        width: (name.width * scale) / sharp,
      }));
      const pane = { x: 0, y: 0, width, height };
      for (const name of namesWithRoom(shown, pane, (text) => pen.measureText(text).width / sharp)) {
        const middle = (name.width === 0 ? name.y - NAME.lift : name.y) * sharp;
        pen.strokeText(name.text, name.x * sharp, middle);
        pen.fillText(name.text, name.x * sharp, middle);
      }
      pen.globalAlpha = 1;
    },
  };
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}
