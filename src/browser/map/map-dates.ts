// The controls of a map's dates: the slider and the button that plays them, and the divider between two dates.
import type { MapPane } from "../../tables/display/live/map-payload.js";
import { clamp } from "../page/clamp.js";
import { boxOf, find, on } from "../page/elements.js";
import type { MapView } from "./map-view.js";

/**
 * Shows the last date.
 *
 * @param show shows the date of an index
 * @returns shows another date
 */
export function startPlayer(dates: readonly string[], show: (date: number) => void): (date: number) => void {
  const [slider, button, label] = [find<HTMLInputElement>("slider"), find("play"), find("date")];
  let [shown, timer] = [-1, 0];
  const go = (date: number) => {
    const text = dates[date] as string;
    shown = date;
    label.textContent = text;
    slider.value = String(date);
    slider.setAttribute("aria-valuetext", text);
    show(date);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = "Play";
  };
  const pause = clamp(40, 600, 12_000 / dates.length);
  const tick = () => {
    if (shown >= dates.length - 1) return stop();
    go(shown + 1);
    timer = setTimeout(tick, pause);
  };
  button.onclick = () => {
    if (timer) return stop();
    if (shown >= dates.length - 1) go(0);
    button.textContent = "Pause";
    timer = setTimeout(tick, 200);
  };
  slider.oninput = () => {
    stop();
    go(Number(slider.value));
  };
  go(dates.length - 1);
  return go;
}

/** Percent of the width by which keys move the divider. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -20,
  PageUp: 20,
  Home: -100,
  End: 100,
};

/** The divider of two dates. */
export interface Swipe {
  /** Moves it to a share of the width. */
  set(share: number): void;
  /** Places it over the pane, whose corner is shifted by the given pixels of the page. */
  place(pane: MapPane, shiftX: number, shiftY: number): void;
}

/** Starts the divider in the middle. */
export function startSwipe(map: MapView, [before, after]: readonly string[]): Swipe {
  const divider = find("divider");
  let [left, width] = [0, 0];
  const set = (share: number) => {
    const split = clamp(0, 1, share);
    const percent = Math.round(100 * split);
    map.split = split;
    map.onChange();
    const at = left + split * width;
    divider.style.left = `${at}px`;
    // Hide dates without enough room.
    const rooms = [at, (divider.parentElement as HTMLElement).clientWidth - at];
    for (const [index, label] of divider.querySelectorAll("b").entries())
      label.style.visibility = label.offsetWidth + BESIDE > (rooms[index] as number) ? "hidden" : "";
    divider.setAttribute("aria-valuenow", String(percent));
    divider.setAttribute("aria-valuetext", `${before} left of ${percent}%, ${after} right of it`);
    for (const [index, { canvas, above }] of map.panes.entries()) {
      const cut = index === 0 ? `inset(0 ${100 * (1 - split)}% 0 0)` : `inset(0 0 0 ${100 * split}%)`;
      canvas.style.clipPath = above.style.clipPath = cut;
    }
  };
  let grip: number | undefined;
  on(divider, "pointerdown", (event) => {
    if (event.button > 0) return;
    grip = event.clientX - boxOf(divider).left - divider.offsetWidth / 2;
    divider.setPointerCapture(event.pointerId);
  });
  on(divider, "pointermove", ({ clientX }) => {
    if (grip === undefined) return;
    const start = map.panes[0]?.canvas.getBoundingClientRect().left as number;
    set((clientX - grip - start) / width);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const)
    on(divider, end, () => {
      grip = undefined;
    });
  on(divider, "keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    set((map.split as number) + step / 100);
    event.preventDefault();
  });
  set(0.5);
  const place: Swipe["place"] = (pane, shiftX, shiftY) => {
    const { fit } = map;
    [left, width] = [pane.x * fit + shiftX, pane.width * fit];
    // Its dates are above the map.
    const room = Math.min(HEADROOM, pane.y * fit + shiftY);
    Object.assign(divider.style, {
      top: `${pane.y * fit + shiftY - room}px`,
      height: `${pane.height * fit + room}px`,
    });
    set(map.split as number);
  };
  return { set, place };
}

const HEADROOM = 28;
/** Distance between the divider and a date. */
const BESIDE = 6;
