import { find } from "./elements.js";

/**
 * The slider and the button of a map that plays.
 *
 * @param show shows the date of a place, and is called once to begin with, for the last
 */
export function startPlayer(dates: readonly string[], show: (date: number) => void): void {
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
  const pause = Math.max(40, Math.min(600, 12_000 / dates.length));
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
}
