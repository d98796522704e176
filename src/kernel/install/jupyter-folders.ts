import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { DependencyError } from "../../core/errors.js";

/** Where to install: for this user, in a prefix such as `/usr/local`, or in the current Python environment. */
export type InstallPlace =
  | { readonly type: "user" }
  | { readonly type: "prefix"; readonly prefix: string }
  | { readonly type: "sysPrefix" };

/**
 * Returns the folder in which Jupyter looks for kernels, or JupyterLab for extensions.
 *
 * @throws ArgumentError if a Python environment is requested and Python is missing
 */
export function jupyterFolder(kind: "kernels" | "labextensions", place: InstallPlace): string {
  if (place.type === "user") return join(userDataFolder(), kind);
  const prefix = place.type === "prefix" ? place.prefix : pythonPrefix();
  return join(prefix, "share", "jupyter", kind);
}

function userDataFolder(): string {
  const { env } = process;
  const chosen = env["JUPYTER_DATA_DIR"];
  if (chosen) return chosen;
  if (process.platform === "win32") return join(env["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "jupyter");
  if (process.platform === "darwin") return join(homedir(), "Library", "Jupyter");
  return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "jupyter");
}

function pythonPrefix(): string {
  const active = process.env["VIRTUAL_ENV"] || process.env["CONDA_PREFIX"];
  if (active) return active;
  for (const python of ["python3", "python"]) {
    try {
      const code = "import sys; print(sys.prefix)";
      return execFileSync(python, ["-c", code], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      // Try the next command.
    }
  }
  throw new DependencyError("--sys-prefix needs Python, which was not found.", {
    hint: "Use --user, or --prefix DIR.",
  });
}
