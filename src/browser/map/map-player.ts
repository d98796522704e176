// The slider and the button of a map that plays dates.
import { clamp } from "../page/clamp.js";
import { find } from "../page/elements.js";

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
