/** Three components of a color. */
type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/**
 * Perception of colors on linear RGB: normal, and with a color vision deficiency (Machado, Oliveira and Fernandes 2009,
 * severity 1).
 */
export const sights = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Readonly<Record<string, Matrix>>;

/** The perceived difference of two sRGB colors `#rrggbb`: ΔE2000. */
export function seenDifference(one: string, other: string, sight: keyof typeof sights = "normal"): number {
  return deltaE2000(labOf(seen(linear(one), sights[sight])), labOf(seen(linear(other), sights[sight])));
}

/** Contrast of a color and a background by WCAG 2: 1 to 21. */
export function contrast(colour: string, basemap: string): number {
  const [low = 0, high = 0] = [colour, basemap]
    .map((one) => dot([0.2126, 0.7152, 0.0722], linear(one)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Lightness of a color in OKLab (Ottosson 2020): 0 to 1. */
export function lightness(colour: string): number {
  const rgb = linear(colour);
  const long = Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], rgb));
  const medium = Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], rgb));
  const short = Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], rgb));
  return dot([0.2104542553, 0.793617785, -0.0040720468], [long, medium, short]);
}

function linear(hex: string): Triple {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`Invalid color: ${hex}. Use #rrggbb.`);
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function dot([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

function seen(colour: Triple, [red, green, blue]: Matrix): Triple {
  const inGamut = (row: Triple) => Math.min(1, Math.max(0, dot(row, colour)));
  return [inGamut(red), inGamut(green), inGamut(blue)];
}

/** CIE Lab of linear RGB under D65. */
function labOf(colour: Triple): Triple {
  const root = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116);
  const x = root(dot([0.4124564, 0.3575761, 0.1804375], colour) / 0.95047);
  const y = root(dot([0.2126729, 0.7151522, 0.072175], colour));
  const z = root(dot([0.0193339, 0.119192, 0.9503041], colour) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const RADIAN = Math.PI / 180;

/** CIEDE2000 of two CIE Lab colors, with all weights 1. */
export function deltaE2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const stretch = 1.5 - 0.5 * Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const [red1, red2] = [a1 * stretch, a2 * stretch];
  const [c1, c2] = [Math.hypot(red1, b1), Math.hypot(red2, b2)];
  const angle = (b: number, a: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / RADIAN + 360) % 360);
  const [h1, h2] = [angle(b1, red1), angle(b2, red2)];
  const isGrey = c1 * c2 === 0;
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dHue = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * RADIAN);
  const [dLight, dChroma] = [l2 - l1, c2 - c1];
  const [light, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const far = Math.abs(h1 - h2) > 180;
  const hue = isGrey ? h1 + h2 : (h1 + h2 + (far ? (h1 + h2 < 360 ? 360 : -360) : 0)) / 2;
  const cos = (degrees: number) => Math.cos(degrees * RADIAN);
  const t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63);
  const forLight = 1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2);
  const [forChroma, forHue] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rotation =
    -Math.sin(60 * Math.exp(-(((hue - 275) / 25) ** 2)) * RADIAN) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const [x, y, z] = [dLight / forLight, dChroma / forChroma, dHue / forHue];
  return Math.sqrt(x * x + y * y + z * z + rotation * y * z);
}
