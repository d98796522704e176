/** Names of devices, with any extension. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9¹²³])(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them.
const REFUSED = /[<>:"/\\|?*\u0000-\u001f]/;

/**
 * Returns why Windows does not allow a file name, to follow the name in an error message; undefined if it does. Windows
 * itself reports most of these names as a missing folder, and writes `a:b` into a hidden stream of the file `a`.
 *
 * @param name without its folder
 */
export function windowsNameProblem(name: string): string | undefined {
  const [refused] = REFUSED.exec(name) ?? [];
  if (refused !== undefined) return `Windows does not allow ${JSON.stringify(refused)} in names of files`;
  if (/[. ]$/.test(name)) return "on Windows, names of files must not end with a dot or a space";
  const [device] = DEVICE.exec(name) ?? [];
  return device && `${device.replace(".", "")} is the name of a device on Windows`;
}
